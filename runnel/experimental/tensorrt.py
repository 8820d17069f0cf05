"""`tf.experimental.tensorrt`."""

from runnel.core.settings.stubs import ConversionParams as ConversionParams
from runnel.core.settings.stubs import Converter as Converter
