"""Tests for every combination of parameters, as libraries on TensorFlow write them."""
