"""Graphs while they are made."""
