"""Inputs by queues: files that are read and batches that are made by threads."""
