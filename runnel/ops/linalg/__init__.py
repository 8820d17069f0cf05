"""Matrices: `tf.linalg`."""
