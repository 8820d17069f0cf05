"""`tf.keras.__internal__`: parts of Keras that packages built on it use."""

from runnel.keras.__internal__ import layers as layers
from runnel.keras.__internal__ import losses as losses
from runnel.keras.__internal__ import models as models
from runnel.keras.__internal__ import optimizers as optimizers
from runnel.keras.__internal__ import utils as utils
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor as KerasTensor
from runnel.keras.engine.symbolic.keras_tensor import RaggedKerasTensor as RaggedKerasTensor
from runnel.keras.engine.symbolic.keras_tensor import SparseKerasTensor as SparseKerasTensor
from runnel.keras.saving.serialization import (
    enable_unsafe_deserialization as enable_unsafe_deserialization,
)
