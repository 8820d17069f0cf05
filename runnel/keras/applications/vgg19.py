"""`tf.keras.applications.vgg19`."""

from runnel.keras.applications.preprocessing import decode_predictions as decode_predictions
from runnel.keras.applications.preprocessing import in_mode
from runnel.keras.applications.vgg import VGG19 as VGG19

preprocess_input = in_mode("caffe")
