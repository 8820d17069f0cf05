"""Where older pickles look for shapes."""

from runnel.core.values.dimension import Dimension as Dimension
from runnel.core.values.shape import TensorShape as TensorShape
