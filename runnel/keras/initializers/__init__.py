"""`tf.keras.initializers`: first values of weights."""

from runnel.keras.initializers.base import Initializer as Initializer
from runnel.keras.initializers.constants import Constant as Constant
from runnel.keras.initializers.constants import Identity as Identity
from runnel.keras.initializers.constants import Ones as Ones
from runnel.keras.initializers.constants import Zeros as Zeros
from runnel.keras.initializers.names import deserialize as deserialize
from runnel.keras.initializers.names import get as get
from runnel.keras.initializers.names import serialize as serialize
from runnel.keras.initializers.random_values import Orthogonal as Orthogonal
from runnel.keras.initializers.random_values import RandomNormal as RandomNormal
from runnel.keras.initializers.random_values import RandomUniform as RandomUniform
from runnel.keras.initializers.random_values import TruncatedNormal as TruncatedNormal
from runnel.keras.initializers.scaled_variance import GlorotNormal as GlorotNormal
from runnel.keras.initializers.scaled_variance import GlorotUniform as GlorotUniform
from runnel.keras.initializers.scaled_variance import HeNormal as HeNormal
from runnel.keras.initializers.scaled_variance import HeUniform as HeUniform
from runnel.keras.initializers.scaled_variance import LecunNormal as LecunNormal
from runnel.keras.initializers.scaled_variance import LecunUniform as LecunUniform
from runnel.keras.initializers.scaled_variance import VarianceScaling as VarianceScaling

constant, identity, ones, zeros = Constant, Identity, Ones, Zeros
glorot_normal, glorot_uniform, he_normal, he_uniform = (
    GlorotNormal,
    GlorotUniform,
    HeNormal,
    HeUniform,
)
lecun_normal, lecun_uniform, orthogonal = LecunNormal, LecunUniform, Orthogonal
random_normal, random_uniform, truncated_normal = RandomNormal, RandomUniform, TruncatedNormal
variance_scaling = VarianceScaling
