"""`tf.compat.v1.sparse`: sparse tensors."""

from runnel.compat.v1.table import finder, listing

__getattr__ = finder("sparse")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("sparse")})
