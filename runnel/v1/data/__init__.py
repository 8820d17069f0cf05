"""`tf.compat.v1.data`: datasets whose iterators are part of a graph."""
