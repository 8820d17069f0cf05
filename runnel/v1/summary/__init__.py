"""`tf.compat.v1.summary`: summaries as strings, and what writes them."""
