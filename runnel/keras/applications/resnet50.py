"""`tf.keras.applications.resnet50`."""

from runnel.keras.applications.architectures.preprocessing import (
    decode_predictions as decode_predictions,
)
from runnel.keras.applications.architectures.preprocessing import in_mode
from runnel.keras.applications.architectures.residual import ResNet50 as ResNet50

preprocess_input = in_mode("caffe")
