"""`tf.keras.applications.densenet`."""

from runnel.keras.applications.architectures.dense_connections import DenseNet121 as DenseNet121
from runnel.keras.applications.architectures.dense_connections import DenseNet169 as DenseNet169
from runnel.keras.applications.architectures.dense_connections import DenseNet201 as DenseNet201
from runnel.keras.applications.architectures.preprocessing import (
    decode_predictions as decode_predictions,
)
from runnel.keras.applications.architectures.preprocessing import in_mode

preprocess_input = in_mode("torch")
