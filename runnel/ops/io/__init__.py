"""Tensors in and out of bytes: `tf.io`."""
