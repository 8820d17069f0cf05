"""`tf.compat.v1.linalg`: matrices."""

from runnel.compat.v1.table import listing, lookup
from runnel.v1.ops.arrays import transpose as transpose
from runnel.v1.ops.reductions import norm as norm

__getattr__ = lookup("linalg")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("linalg")})
