"""`tf.keras.applications.resnet50`."""

from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode
from .architectures.residual import ResNet50 as ResNet50

preprocess_input = in_mode("caffe")
