"""`tf.__operators__`: functions that libraries know Python's operators by."""

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.tensor.indexing import getitem as getitem
from runnel.ops.operators import add as add
from runnel.ops.operators import eq as eq
from runnel.ops.operators import ne as ne

ragged_getitem = RaggedTensor.__getitem__
