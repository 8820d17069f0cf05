"""Tools of TensorFlow's own source that packages use: see the README."""
