"""`tf.keras.layers.Layer`."""
