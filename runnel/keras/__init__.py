"""`tf.keras`: models, and all that goes with training them."""

import importlib as _importlib
import sys as _sys

import runnel as _tf
from runnel.keras import activations as activations
from runnel.keras import applications as applications
from runnel.keras import backend as backend
from runnel.keras import callbacks as callbacks
from runnel.keras import constraints as constraints
from runnel.keras import datasets as datasets
from runnel.keras import experimental as experimental
from runnel.keras import export as export
from runnel.keras import initializers as initializers
from runnel.keras import layers as layers
from runnel.keras import losses as losses
from runnel.keras import metrics as metrics
from runnel.keras import mixed_precision as mixed_precision
from runnel.keras import models as models
from runnel.keras import optimizers as optimizers
from runnel.keras import preprocessing as preprocessing
from runnel.keras import regularizers as regularizers
from runnel.keras import saving as saving
from runnel.keras import utils as utils
from runnel.keras.engine.models.model import Model as Model
from runnel.keras.engine.models.sequential import Sequential as Sequential
from runnel.keras.engine.symbolic import op_layer as _op_layer  # noqa: F401 (operators of KerasTensor)
from runnel.keras.engine.symbolic import tensor_parts as _tensor_parts  # noqa: F401 (its parts and methods)
from runnel.keras.engine.symbolic.input_layer import Input as Input
from runnel.keras.saving.version import KERAS_VERSION as __version__  # noqa: F401

_importlib.import_module("runnel.keras.__internal__")  # once there is all that it names
_tf.__internal__.explain_missing(_sys.modules[__name__])
