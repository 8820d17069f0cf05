"""`tf.keras.applications.nasnet`."""

from .architectures.nasnets import NASNetLarge as NASNetLarge
from .architectures.nasnets import NASNetMobile as NASNetMobile
from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode

preprocess_input = in_mode("tf")
