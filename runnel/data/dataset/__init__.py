"""`tf.data.Dataset`, the public face of the nodes."""
