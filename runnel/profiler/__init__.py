"""`tf.profiler`."""

from runnel.profiler import experimental as experimental
