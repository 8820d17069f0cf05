"""Shapes, places and parts of tensors."""
