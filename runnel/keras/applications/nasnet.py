"""`tf.keras.applications.nasnet`."""

from runnel.keras.applications.nasnets import NASNetLarge as NASNetLarge
from runnel.keras.applications.nasnets import NASNetMobile as NASNetMobile
from runnel.keras.applications.preprocessing import decode_predictions as decode_predictions
from runnel.keras.applications.preprocessing import in_mode

preprocess_input = in_mode("tf")
