"""`tf.keras.saving`: objects as data and files."""

from runnel.keras.saving.api import load_model as load_model
from runnel.keras.saving.api import save_model as save_model
from runnel.keras.saving.object_registration import custom_object_scope as custom_object_scope
from runnel.keras.saving.object_registration import get_custom_objects as get_custom_objects
from runnel.keras.saving.object_registration import get_registered_name as get_registered_name
from runnel.keras.saving.object_registration import get_registered_object as get_registered_object
from runnel.keras.saving.object_registration import (
    register_keras_serializable as register_keras_serializable,
)
from runnel.keras.saving.serialization import deserialize_keras_object as deserialize_keras_object
from runnel.keras.saving.serialization import serialize_keras_object as serialize_keras_object
