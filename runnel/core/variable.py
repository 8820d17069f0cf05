"""Where older pickles look for variables."""

from runnel.core.state.variable import Variable as Variable
from runnel.core.state.variable import unpickled as _unpickle  # noqa: F401 (older pickles look here)
