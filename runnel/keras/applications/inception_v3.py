"""`tf.keras.applications.inception_v3`."""

from .architectures.inception import InceptionV3 as InceptionV3
from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode

preprocess_input = in_mode("tf")
