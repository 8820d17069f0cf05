"""Training in graphs: optimizers that make operations, savers, the global step."""
