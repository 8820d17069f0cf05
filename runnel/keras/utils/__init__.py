"""`tf.keras.utils`: tools around models."""

from runnel.keras.engine.random_generator import set_random_seed as set_random_seed
from runnel.keras.saving.object_registration import custom_object_scope as custom_object_scope
from runnel.keras.saving.object_registration import get_custom_objects as get_custom_objects
from runnel.keras.saving.object_registration import get_registered_name as get_registered_name
from runnel.keras.saving.object_registration import get_registered_object as get_registered_object
from runnel.keras.saving.object_registration import (
    register_keras_serializable as register_keras_serializable,
)
from runnel.keras.saving.serialization import deserialize_keras_object as deserialize_keras_object
from runnel.keras.saving.serialization import serialize_keras_object as serialize_keras_object
from runnel.keras.utils import experimental as experimental
from runnel.keras.utils import legacy as legacy
from .datasets.audio_dataset import audio_dataset_from_directory as audio_dataset_from_directory
from .datasets.image_dataset import image_dataset_from_directory as image_dataset_from_directory
from .datasets.splitting import split_dataset as split_dataset
from .datasets.text_dataset import text_dataset_from_directory as text_dataset_from_directory
from .datasets.timeseries_dataset import (
    timeseries_dataset_from_array as timeseries_dataset_from_array,
)
from .downloads.downloading import get_file as get_file
from .enqueuers import GeneratorEnqueuer as GeneratorEnqueuer
from .enqueuers import OrderedEnqueuer as OrderedEnqueuer
from .enqueuers import SequenceEnqueuer as SequenceEnqueuer
from .feature_space import FeatureSpace as FeatureSpace
from .image_files import array_to_img as array_to_img
from .image_files import img_to_array as img_to_array
from .image_files import load_img as load_img
from .image_files import save_img as save_img
from .labels import normalize as normalize
from .labels import to_categorical as to_categorical
from .labels import to_ordinal as to_ordinal
from .messages import disable_interactive_logging as disable_interactive_logging
from .messages import enable_interactive_logging as enable_interactive_logging
from .messages import is_interactive_logging_enabled as is_interactive_logging_enabled
from .packing import pack_x_y_sample_weight as pack_x_y_sample_weight
from .packing import unpack_x_y_sample_weight as unpack_x_y_sample_weight
from .padding import pad_sequences as pad_sequences
from .picture.model_picture import model_to_dot as model_to_dot
from .picture.model_picture import plot_model as plot_model
from .progress_bar import Progbar as Progbar
from .sequences import Sequence as Sequence
from .sidecar_evaluator import SidecarEvaluator as SidecarEvaluator
from .source_inputs import get_source_inputs as get_source_inputs
from .steps_tuning import StepsPerExecutionTuner as StepsPerExecutionTuner
from .timed_thread import TimedThread as TimedThread
from .warmstarting import warmstart_embedding_matrix as warmstart_embedding_matrix

CustomObjectScope = custom_object_scope
