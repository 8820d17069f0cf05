"""Sets in the last dimension of tensors: `tf.sets`."""

from runnel.ops.sets import difference as difference
from runnel.ops.sets import intersection as intersection
from runnel.ops.sets import size as size
from runnel.ops.sets import union as union
