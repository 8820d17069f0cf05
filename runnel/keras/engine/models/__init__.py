"""`tf.keras.Model` and its kinds."""
