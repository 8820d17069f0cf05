"""Sets in the last dimension of tensors: `tf.sets`."""

from runnel.ops.sparse.sets import difference as difference
from runnel.ops.sparse.sets import intersection as intersection
from runnel.ops.sparse.sets import size as size
from runnel.ops.sparse.sets import union as union
