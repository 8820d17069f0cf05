"""`tf.keras.__internal__.utils`: data as training loops take it."""

from typing import Any

from runnel.keras.engine.symbolic.keras_tensor import (
    register_symbolic_tensor_type as register_symbolic_tensor_type,
)
from runnel.keras.engine.training.data.handler import DataHandler


def get_data_handler(*args: Any, **kwargs: Any) -> DataHandler:
    """What goes through data for some epochs, with the arguments of `fit`."""
    return DataHandler(*args, **kwargs)
