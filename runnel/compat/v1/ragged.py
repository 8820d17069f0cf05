"""`tf.compat.v1.ragged`: ragged tensors."""

from runnel.compat.v1.table import finder, listing
from runnel.graph.session.values import RaggedTensorValue as RaggedTensorValue

__getattr__ = finder("ragged")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("ragged")})
