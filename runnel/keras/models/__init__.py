"""`tf.keras.models`: models, and their files."""

from runnel.keras.engine.models.model import Model as Model
from runnel.keras.engine.models.sequential import Sequential as Sequential
from runnel.keras.layers.names import add_names as _add_names
from runnel.keras.models import experimental as experimental
from runnel.keras.models.cloning import clone_model as clone_model
from runnel.keras.models.yaml import model_from_yaml as model_from_yaml
from runnel.keras.saving.api import load_model as load_model
from runnel.keras.saving.api import save_model as save_model
from runnel.keras.saving.model_config import model_from_config as model_from_config
from runnel.keras.saving.model_config import model_from_json as model_from_json

_add_names(globals())
