"""Layers in which queries choose among values."""
