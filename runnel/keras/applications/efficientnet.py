"""`tf.keras.applications.efficientnet`."""

from runnel.keras.applications.architectures.efficient import EfficientNetB0 as EfficientNetB0
from runnel.keras.applications.architectures.efficient import EfficientNetB1 as EfficientNetB1
from runnel.keras.applications.architectures.efficient import EfficientNetB2 as EfficientNetB2
from runnel.keras.applications.architectures.efficient import EfficientNetB3 as EfficientNetB3
from runnel.keras.applications.architectures.efficient import EfficientNetB4 as EfficientNetB4
from runnel.keras.applications.architectures.efficient import EfficientNetB5 as EfficientNetB5
from runnel.keras.applications.architectures.efficient import EfficientNetB6 as EfficientNetB6
from runnel.keras.applications.architectures.efficient import EfficientNetB7 as EfficientNetB7
from runnel.keras.applications.architectures.preprocessing import (
    decode_predictions as decode_predictions,
)
from runnel.keras.applications.architectures.preprocessing import in_mode

preprocess_input = in_mode(None)
