"""From what `fit` is given to batches."""
