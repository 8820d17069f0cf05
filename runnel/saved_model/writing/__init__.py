"""From objects and functions to the files of a SavedModel."""
