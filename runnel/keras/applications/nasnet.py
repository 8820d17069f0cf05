"""`tf.keras.applications.nasnet`."""

from runnel.keras.applications.architectures.nasnets import NASNetLarge as NASNetLarge
from runnel.keras.applications.architectures.nasnets import NASNetMobile as NASNetMobile
from runnel.keras.applications.architectures.preprocessing import (
    decode_predictions as decode_predictions,
)
from runnel.keras.applications.architectures.preprocessing import in_mode

preprocess_input = in_mode("tf")
