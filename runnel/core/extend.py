"""What declares an op and its gradient: the names that nearly every file of `ops/` begins with."""

from runnel.core.op.op import op as op
from runnel.core.op.raw import raw_ops as raw_ops
from runnel.core.op.registry import RegisterGradient as RegisterGradient
from runnel.core.op.registry import no_gradient as no_gradient
from runnel.core.settings.scoped import scoped as scoped
from runnel.core.tensor.convert import convert_to_tensor as convert_to_tensor
from runnel.core.tensor.tensor import Tensor as Tensor
