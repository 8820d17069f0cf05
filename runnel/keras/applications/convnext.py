"""`tf.keras.applications.convnext`."""

from .architectures.convnexts import ConvNeXtBase as ConvNeXtBase
from .architectures.convnexts import ConvNeXtLarge as ConvNeXtLarge
from .architectures.convnexts import ConvNeXtSmall as ConvNeXtSmall
from .architectures.convnexts import ConvNeXtTiny as ConvNeXtTiny
from .architectures.convnexts import ConvNeXtXLarge as ConvNeXtXLarge
from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode

preprocess_input = in_mode(None)
