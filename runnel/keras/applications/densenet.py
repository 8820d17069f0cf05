"""`tf.keras.applications.densenet`."""

from .architectures.dense_connections import DenseNet121 as DenseNet121
from .architectures.dense_connections import DenseNet169 as DenseNet169
from .architectures.dense_connections import DenseNet201 as DenseNet201
from .architectures.preprocessing import decode_predictions as decode_predictions
from .architectures.preprocessing import in_mode

preprocess_input = in_mode("torch")
