"""`tf.compat.v1.initializers`: first values of variables."""

from runnel.compat.v1.table import finder, listing
from runnel.v1.variables.initializers import he_normal as he_normal
from runnel.v1.variables.initializers import he_uniform as he_uniform
from runnel.v1.variables.initializers import lecun_normal as lecun_normal
from runnel.v1.variables.initializers import lecun_uniform as lecun_uniform
from runnel.v1.variables.initializing import tables_initializer as tables_initializer

__getattr__ = finder("initializers")


def __dir__() -> list[str]:
    return sorted({*globals(), *listing("initializers")})
