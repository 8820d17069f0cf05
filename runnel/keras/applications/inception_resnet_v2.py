"""`tf.keras.applications.inception_resnet_v2`."""

from runnel.keras.applications.architectures.inception import InceptionResNetV2 as InceptionResNetV2
from runnel.keras.applications.architectures.preprocessing import (
    decode_predictions as decode_predictions,
)
from runnel.keras.applications.architectures.preprocessing import in_mode

preprocess_input = in_mode("tf")
