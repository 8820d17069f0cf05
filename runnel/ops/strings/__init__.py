"""Strings: `tf.strings`."""
