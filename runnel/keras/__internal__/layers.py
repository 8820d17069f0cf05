"""`tf.keras.__internal__.layers`: bases of layers."""

from runnel.keras.layers.attention.attention import BaseDenseAttention as BaseDenseAttention
from runnel.keras.layers.core import RandomLayer as BaseRandomLayer  # noqa: F401
