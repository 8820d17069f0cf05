"""Ops for what they do: Python functions, printing, assertions, order."""
