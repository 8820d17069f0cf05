"""`tf.keras.applications.inception_v3`."""

from runnel.keras.applications.inception import InceptionV3 as InceptionV3
from runnel.keras.applications.preprocessing import decode_predictions as decode_predictions
from runnel.keras.applications.preprocessing import in_mode

preprocess_input = in_mode("tf")
