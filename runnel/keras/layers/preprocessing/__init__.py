"""Layers that prepare data: text, categories, numbers and images."""
