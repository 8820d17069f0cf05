"""`tf.keras.applications.inception_v3`."""

from runnel.keras.applications.architectures.inception import InceptionV3 as InceptionV3
from runnel.keras.applications.architectures.preprocessing import (
    decode_predictions as decode_predictions,
)
from runnel.keras.applications.architectures.preprocessing import in_mode

preprocess_input = in_mode("tf")
