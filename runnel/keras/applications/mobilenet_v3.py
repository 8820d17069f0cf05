"""`tf.keras.applications.mobilenet_v3`."""

from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode

preprocess_input = in_mode(None)
