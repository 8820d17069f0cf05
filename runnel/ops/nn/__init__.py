"""What networks are made of: `tf.nn`."""
