"""The version of Keras whose files these are."""

KERAS_VERSION = "2.21.0"
