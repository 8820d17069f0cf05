"""`tf.keras.layers.experimental`."""

from runnel.keras.layers.experimental import preprocessing as preprocessing
