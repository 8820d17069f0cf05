"""Datasets in graphs, and as TensorFlow writes them."""
