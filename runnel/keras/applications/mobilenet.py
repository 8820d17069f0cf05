"""`tf.keras.applications.mobilenet`."""

from runnel.keras.applications.architectures.mobile import MobileNet as MobileNet
from runnel.keras.applications.architectures.preprocessing import (
    decode_predictions as decode_predictions,
)
from runnel.keras.applications.architectures.preprocessing import in_mode

preprocess_input = in_mode("tf")
