"""`tf.compat.v1.random`: random numbers."""

from runnel.compat.v1.table import finder, listing
from runnel.v1.behavior.seeds import get_seed as get_seed
from runnel.v1.behavior.seeds import set_random_seed as set_random_seed

__getattr__ = finder("random")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("random")})
