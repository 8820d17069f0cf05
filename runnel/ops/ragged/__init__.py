"""Ops on ragged tensors, and what other functions do with them."""
