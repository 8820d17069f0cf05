"""`tf.compat.v1.linalg`: matrices."""

from runnel.compat.v1.table import finder, listing
from runnel.ops.linalg.matrices import matrix_transpose as transpose  # noqa: F401
from runnel.v1.ops.reductions import norm as norm

__getattr__ = finder("linalg")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("linalg")})
