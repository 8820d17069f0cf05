"""Numbers in few bits: `tf.quantization`."""
