"""Layers around another layer."""
