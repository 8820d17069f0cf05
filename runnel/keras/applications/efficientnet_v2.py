"""`tf.keras.applications.efficientnet_v2`."""

from .architectures.efficient_v2 import EfficientNetV2B0 as EfficientNetV2B0
from .architectures.efficient_v2 import EfficientNetV2B1 as EfficientNetV2B1
from .architectures.efficient_v2 import EfficientNetV2B2 as EfficientNetV2B2
from .architectures.efficient_v2 import EfficientNetV2B3 as EfficientNetV2B3
from .architectures.efficient_v2 import EfficientNetV2L as EfficientNetV2L
from .architectures.efficient_v2 import EfficientNetV2M as EfficientNetV2M
from .architectures.efficient_v2 import EfficientNetV2S as EfficientNetV2S
from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode

preprocess_input = in_mode(None)
