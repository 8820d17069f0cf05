"""Layers that act in training alone, or through the loss."""
