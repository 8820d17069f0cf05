"""`tf.keras.applications.xception`."""

from runnel.keras.applications.preprocessing import decode_predictions as decode_predictions
from runnel.keras.applications.preprocessing import in_mode
from runnel.keras.applications.xceptions import Xception as Xception

preprocess_input = in_mode("tf")
