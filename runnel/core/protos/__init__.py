"""TensorFlow's protocol messages: one table per subject; `messages` makes classes of them."""
