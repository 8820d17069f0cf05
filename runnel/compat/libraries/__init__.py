"""What libraries that are built on TensorFlow, such as Keras, tell it and ask of it."""
