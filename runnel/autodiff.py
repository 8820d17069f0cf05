"""`tf.autodiff`."""

from runnel.core.gradients.forward import ForwardAccumulator as ForwardAccumulator
from runnel.core.gradients.gradient_tape import GradientTape as GradientTape
from runnel.core.op.vjp import derived as derived
