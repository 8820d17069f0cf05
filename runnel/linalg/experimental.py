"""`tf.linalg.experimental`."""
