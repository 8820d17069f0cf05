"""`tf.keras.applications.resnet`."""

from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode
from .architectures.residual import ResNet50 as ResNet50
from .architectures.residual import ResNet101 as ResNet101
from .architectures.residual import ResNet152 as ResNet152

preprocess_input = in_mode("caffe")
