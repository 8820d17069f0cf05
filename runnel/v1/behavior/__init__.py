"""How programs of TensorFlow 1 are run: switches, placeholders, names of the first years."""
