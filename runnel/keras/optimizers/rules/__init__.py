"""Keras's own optimizers: from a gradient to a step."""
