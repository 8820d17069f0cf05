"""`tf.keras.applications.resnet_v2`."""

from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode
from .architectures.residual import ResNet50V2 as ResNet50V2
from .architectures.residual import ResNet101V2 as ResNet101V2
from .architectures.residual import ResNet152V2 as ResNet152V2

preprocess_input = in_mode("tf")
