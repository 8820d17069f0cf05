"""`tf.keras.applications.mobilenet`."""

from .architectures.mobile import MobileNet as MobileNet
from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode

preprocess_input = in_mode("tf")
