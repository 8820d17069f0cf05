"""`tf.keras.saving`: objects as data and files."""

from .api import load_model as load_model
from .api import save_model as save_model
from .object_registration import custom_object_scope as custom_object_scope
from .object_registration import get_custom_objects as get_custom_objects
from .object_registration import get_registered_name as get_registered_name
from .object_registration import get_registered_object as get_registered_object
from .object_registration import register_keras_serializable as register_keras_serializable
from .serialization import deserialize_keras_object as deserialize_keras_object
from .serialization import serialize_keras_object as serialize_keras_object
