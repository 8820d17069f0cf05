"""`tf.keras.applications.resnet_rs`."""

from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode
from .architectures.residual_rs import ResNetRS50 as ResNetRS50
from .architectures.residual_rs import ResNetRS101 as ResNetRS101
from .architectures.residual_rs import ResNetRS152 as ResNetRS152
from .architectures.residual_rs import ResNetRS200 as ResNetRS200
from .architectures.residual_rs import ResNetRS270 as ResNetRS270
from .architectures.residual_rs import ResNetRS350 as ResNetRS350
from .architectures.residual_rs import ResNetRS420 as ResNetRS420

preprocess_input = in_mode(None)
