"""`tf.keras.callbacks.TensorBoard`, and what it writes."""
