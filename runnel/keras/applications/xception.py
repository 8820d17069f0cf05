"""`tf.keras.applications.xception`."""

from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode
from .architectures.xceptions import Xception as Xception

preprocess_input = in_mode("tf")
