"""`tf.keras.applications.inception_resnet_v2`."""

from .architectures.inception import InceptionResNetV2 as InceptionResNetV2
from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode

preprocess_input = in_mode("tf")
