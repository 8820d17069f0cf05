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
from runnel.keras.utils.datasets.audio_dataset import (
    audio_dataset_from_directory as audio_dataset_from_directory,
)
from runnel.keras.utils.datasets.image_dataset import (
    image_dataset_from_directory as image_dataset_from_directory,
)
from runnel.keras.utils.datasets.splitting import split_dataset as split_dataset
from runnel.keras.utils.datasets.text_dataset import (
    text_dataset_from_directory as text_dataset_from_directory,
)
from runnel.keras.utils.datasets.timeseries_dataset import (
    timeseries_dataset_from_array as timeseries_dataset_from_array,
)
from runnel.keras.utils.downloads.downloading import get_file as get_file
from runnel.keras.utils.enqueuers import GeneratorEnqueuer as GeneratorEnqueuer
from runnel.keras.utils.enqueuers import OrderedEnqueuer as OrderedEnqueuer
from runnel.keras.utils.enqueuers import SequenceEnqueuer as SequenceEnqueuer
from runnel.keras.utils.feature_space import FeatureSpace as FeatureSpace
from runnel.keras.utils.image_files import array_to_img as array_to_img
from runnel.keras.utils.image_files import img_to_array as img_to_array
from runnel.keras.utils.image_files import load_img as load_img
from runnel.keras.utils.image_files import save_img as save_img
from runnel.keras.utils.labels import normalize as normalize
from runnel.keras.utils.labels import to_categorical as to_categorical
from runnel.keras.utils.labels import to_ordinal as to_ordinal
from runnel.keras.utils.messages import disable_interactive_logging as disable_interactive_logging
from runnel.keras.utils.messages import enable_interactive_logging as enable_interactive_logging
from runnel.keras.utils.messages import (
    is_interactive_logging_enabled as is_interactive_logging_enabled,
)
from runnel.keras.utils.packing import pack_x_y_sample_weight as pack_x_y_sample_weight
from runnel.keras.utils.packing import unpack_x_y_sample_weight as unpack_x_y_sample_weight
from runnel.keras.utils.padding import pad_sequences as pad_sequences
from runnel.keras.utils.picture.model_picture import model_to_dot as model_to_dot
from runnel.keras.utils.picture.model_picture import plot_model as plot_model
from runnel.keras.utils.progress_bar import Progbar as Progbar
from runnel.keras.utils.sequences import Sequence as Sequence
from runnel.keras.utils.sidecar_evaluator import SidecarEvaluator as SidecarEvaluator
from runnel.keras.utils.source_inputs import get_source_inputs as get_source_inputs
from runnel.keras.utils.steps_tuning import StepsPerExecutionTuner as StepsPerExecutionTuner
from runnel.keras.utils.timed_thread import TimedThread as TimedThread
from runnel.keras.utils.warmstarting import warmstart_embedding_matrix as warmstart_embedding_matrix

CustomObjectScope = custom_object_scope
