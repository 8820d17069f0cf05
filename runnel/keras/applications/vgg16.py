"""`tf.keras.applications.vgg16`."""

from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode
from .architectures.vgg import VGG16 as VGG16

preprocess_input = in_mode("caffe")
