"""Variables of TensorFlow 1: scopes that share them, collections that know them."""
