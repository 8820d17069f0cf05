"""Datasets from folders, series, and functions."""
