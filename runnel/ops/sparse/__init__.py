"""Sparse tensors: `tf.sparse`."""
