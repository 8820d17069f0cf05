"""Functions whose parameters were others in TensorFlow 1."""
