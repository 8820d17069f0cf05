"""The public functions that make such operations: `tf.cond`, `tf.while_loop`, `tf.map_fn`."""
