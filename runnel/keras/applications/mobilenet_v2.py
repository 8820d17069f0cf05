"""`tf.keras.applications.mobilenet_v2`."""

from .architectures.mobile import MobileNetV2 as MobileNetV2
from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode

preprocess_input = in_mode("tf")
