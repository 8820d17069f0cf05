"""`tf.keras.applications.convnext`."""

from runnel.keras.applications.architectures.convnexts import ConvNeXtBase as ConvNeXtBase
from runnel.keras.applications.architectures.convnexts import ConvNeXtLarge as ConvNeXtLarge
from runnel.keras.applications.architectures.convnexts import ConvNeXtSmall as ConvNeXtSmall
from runnel.keras.applications.architectures.convnexts import ConvNeXtTiny as ConvNeXtTiny
from runnel.keras.applications.architectures.convnexts import ConvNeXtXLarge as ConvNeXtXLarge
from runnel.keras.applications.architectures.preprocessing import (
    decode_predictions as decode_predictions,
)
from runnel.keras.applications.architectures.preprocessing import in_mode

preprocess_input = in_mode(None)
