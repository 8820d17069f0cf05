"""Symbolic tensors, and layers called on them."""
