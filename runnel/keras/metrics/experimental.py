"""`tf.keras.metrics.experimental`."""

from runnel.keras.metrics.py_metric import PyMetric as PyMetric
