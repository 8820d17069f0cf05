"""`tf.keras.applications.vgg19`."""

from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode
from .architectures.vgg import VGG19 as VGG19

preprocess_input = in_mode("caffe")
