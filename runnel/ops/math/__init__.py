"""Element by element: `tf.math`."""
