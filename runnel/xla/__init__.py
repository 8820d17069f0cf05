"""`tf.xla`: what is compiled."""

from runnel.xla import experimental as experimental
