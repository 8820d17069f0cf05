"""JAX and the machine: everything that knows how programs are compiled and where they run."""
