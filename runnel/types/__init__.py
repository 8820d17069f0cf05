"""`tf.types`."""

from runnel.types import experimental as experimental
