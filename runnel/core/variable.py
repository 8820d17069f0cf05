"""Where older pickles look for variables."""

from runnel.core.state.variable import Variable as Variable
from runnel.core.state.variable import _unpickle as _unpickle
