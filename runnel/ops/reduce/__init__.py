"""From many elements to few: `tf.reduce_sum`, segments, order, counts."""
