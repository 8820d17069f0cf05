"""`tf.keras.utils.legacy`: objects as data in the older form."""

from runnel.keras.saving.legacy_serialization import (
    deserialize_keras_object as deserialize_keras_object,
)
from runnel.keras.saving.legacy_serialization import (
    serialize_keras_object as serialize_keras_object,
)
