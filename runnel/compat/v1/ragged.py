"""`tf.compat.v1.ragged`: ragged tensors."""

from runnel.compat.v1.table import listing, lookup
from runnel.graph.session.values import RaggedTensorValue as RaggedTensorValue

__getattr__ = lookup("ragged")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("ragged")})
