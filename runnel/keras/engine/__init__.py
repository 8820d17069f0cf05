"""The machinery of Keras; see README.md in the folder above."""
