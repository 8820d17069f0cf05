"""TensorFlow's random numbers, bit by bit."""
