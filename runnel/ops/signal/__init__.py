"""Signals: `tf.signal`."""
