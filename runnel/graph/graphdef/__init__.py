"""Graphs as TensorFlow's messages, and back."""
