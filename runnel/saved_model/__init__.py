"""Models as files: `tf.saved_model`."""

from runnel.core.state.assets import Asset as Asset
from runnel.saved_model import experimental as experimental
from runnel.saved_model.constants import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from runnel.saved_model.constants import ASSETS_KEY as ASSETS_KEY
from runnel.saved_model.constants import CLASSIFY_INPUTS as CLASSIFY_INPUTS
from runnel.saved_model.constants import CLASSIFY_METHOD_NAME as CLASSIFY_METHOD_NAME
from runnel.saved_model.constants import CLASSIFY_OUTPUT_CLASSES as CLASSIFY_OUTPUT_CLASSES
from runnel.saved_model.constants import CLASSIFY_OUTPUT_SCORES as CLASSIFY_OUTPUT_SCORES
from runnel.saved_model.constants import DEBUG_DIRECTORY as DEBUG_DIRECTORY
from runnel.saved_model.constants import DEBUG_INFO_FILENAME_PB as DEBUG_INFO_FILENAME_PB
from runnel.saved_model.constants import (
    DEFAULT_SERVING_SIGNATURE_DEF_KEY as DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
from runnel.saved_model.constants import GPU as GPU
from runnel.saved_model.constants import PREDICT_INPUTS as PREDICT_INPUTS
from runnel.saved_model.constants import PREDICT_METHOD_NAME as PREDICT_METHOD_NAME
from runnel.saved_model.constants import PREDICT_OUTPUTS as PREDICT_OUTPUTS
from runnel.saved_model.constants import REGRESS_INPUTS as REGRESS_INPUTS
from runnel.saved_model.constants import REGRESS_METHOD_NAME as REGRESS_METHOD_NAME
from runnel.saved_model.constants import REGRESS_OUTPUTS as REGRESS_OUTPUTS
from runnel.saved_model.constants import SAVED_MODEL_FILENAME_PB as SAVED_MODEL_FILENAME_PB
from runnel.saved_model.constants import SAVED_MODEL_FILENAME_PBTXT as SAVED_MODEL_FILENAME_PBTXT
from runnel.saved_model.constants import SAVED_MODEL_SCHEMA_VERSION as SAVED_MODEL_SCHEMA_VERSION
from runnel.saved_model.constants import SERVING as SERVING
from runnel.saved_model.constants import TPU as TPU
from runnel.saved_model.constants import TRAINING as TRAINING
from runnel.saved_model.constants import VARIABLES_DIRECTORY as VARIABLES_DIRECTORY
from runnel.saved_model.constants import VARIABLES_FILENAME as VARIABLES_FILENAME
from runnel.saved_model.options import LoadOptions as LoadOptions
from runnel.saved_model.options import SaveOptions as SaveOptions
from runnel.saved_model.reading.load import load as load
from runnel.saved_model.reading.messages_in import contains_saved_model as contains_saved_model
from runnel.saved_model.writing.save import save as save
