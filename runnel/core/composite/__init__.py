"""Values made of several tensors, and what public functions do with them."""
