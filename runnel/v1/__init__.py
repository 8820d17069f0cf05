"""What `tf.compat.v1` has of its own: the library of TensorFlow 1."""
