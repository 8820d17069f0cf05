"""`tf.keras.applications.vgg19`."""

from runnel.keras.applications.architectures.preprocessing import (
    decode_predictions as decode_predictions,
)
from runnel.keras.applications.architectures.preprocessing import in_mode
from runnel.keras.applications.architectures.vgg import VGG19 as VGG19

preprocess_input = in_mode("caffe")
