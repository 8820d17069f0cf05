"""Models and weights in files: `.keras` archives, HDF5, SavedModel folders."""
