"""Datasets as descriptions, one kind of step a file."""
