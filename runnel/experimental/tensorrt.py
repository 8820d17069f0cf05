"""`tf.experimental.tensorrt`."""

from runnel.core.tensorrt import ConversionParams as ConversionParams
from runnel.core.tensorrt import Converter as Converter
