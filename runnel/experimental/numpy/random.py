"""Random arrays: `tf.experimental.numpy.random`."""

from runnel.ops.numpy_api.random import poisson as poisson
from runnel.ops.numpy_api.random import rand as rand
from runnel.ops.numpy_api.random import randint as randint
from runnel.ops.numpy_api.random import randn as randn
from runnel.ops.numpy_api.random import random as random
from runnel.ops.numpy_api.random import seed as seed
from runnel.ops.numpy_api.random import standard_normal as standard_normal
from runnel.ops.numpy_api.random import uniform as uniform
