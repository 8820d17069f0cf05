"""`tf.compat.v1.sparse`: sparse tensors."""

from runnel.compat.v1.table import listing, lookup

__getattr__ = lookup("sparse")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("sparse")})
