"""Graphs while they run: interpreted, or cut into programs of XLA."""
