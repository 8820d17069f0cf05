"""`tf.keras.applications.xception`."""

from runnel.keras.applications.architectures.preprocessing import (
    decode_predictions as decode_predictions,
)
from runnel.keras.applications.architectures.preprocessing import in_mode
from runnel.keras.applications.architectures.xceptions import Xception as Xception

preprocess_input = in_mode("tf")
