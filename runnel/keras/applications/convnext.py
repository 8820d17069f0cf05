"""`tf.keras.applications.convnext`."""

from runnel.keras.applications.convnexts import ConvNeXtBase as ConvNeXtBase
from runnel.keras.applications.convnexts import ConvNeXtLarge as ConvNeXtLarge
from runnel.keras.applications.convnexts import ConvNeXtSmall as ConvNeXtSmall
from runnel.keras.applications.convnexts import ConvNeXtTiny as ConvNeXtTiny
from runnel.keras.applications.convnexts import ConvNeXtXLarge as ConvNeXtXLarge
from runnel.keras.applications.preprocessing import decode_predictions as decode_predictions
from runnel.keras.applications.preprocessing import in_mode

preprocess_input = in_mode(None)
