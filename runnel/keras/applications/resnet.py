"""`tf.keras.applications.resnet`."""

from runnel.keras.applications.architectures.preprocessing import (
    decode_predictions as decode_predictions,
)
from runnel.keras.applications.architectures.preprocessing import in_mode
from runnel.keras.applications.architectures.residual import ResNet50 as ResNet50
from runnel.keras.applications.architectures.residual import ResNet101 as ResNet101
from runnel.keras.applications.architectures.residual import ResNet152 as ResNet152

preprocess_input = in_mode("caffe")
