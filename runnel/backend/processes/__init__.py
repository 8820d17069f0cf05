"""Several processes as one system of JAX."""
