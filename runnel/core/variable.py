"""Where older pickles look for variables."""

from runnel.core.state.variable import Variable as Variable
