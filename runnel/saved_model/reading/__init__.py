"""From the files of a SavedModel to objects and functions."""
