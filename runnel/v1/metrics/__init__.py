"""`tf.compat.v1.metrics`: numbers that add up over batches."""
