"""Layers that bring their inputs to a common scale."""
