"""`tf.keras.applications.efficientnet`."""

from .architectures.efficient import EfficientNetB0 as EfficientNetB0
from .architectures.efficient import EfficientNetB1 as EfficientNetB1
from .architectures.efficient import EfficientNetB2 as EfficientNetB2
from .architectures.efficient import EfficientNetB3 as EfficientNetB3
from .architectures.efficient import EfficientNetB4 as EfficientNetB4
from .architectures.efficient import EfficientNetB5 as EfficientNetB5
from .architectures.efficient import EfficientNetB6 as EfficientNetB6
from .architectures.efficient import EfficientNetB7 as EfficientNetB7
from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode

preprocess_input = in_mode(None)
