"""`compile`, `fit`, `evaluate`, `predict`."""
