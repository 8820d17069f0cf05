"""What a resource handle points to: things with a state, such as the memory of a variable."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.dtypes import DType
from runnel.core.errors import FailedPreconditionError
from runnel.core.shape import TensorShape
from runnel.core.types import Array

if TYPE_CHECKING:
    from runnel.core.op import Op


class Resource:
    """The value behind a tensor of dtype `resource`."""

    size = 1
    shape = ()

    def __init__(self) -> None:
        self.lock = threading.RLock()


class VariableResource(Resource):
    """The memory of a variable: one array, replaced as a whole by each assignment."""

    def __init__(self, dtype: DType, static_shape: TensorShape, name: str) -> None:
        super().__init__()
        self.dtype = dtype
        self.static_shape = static_shape
        self.name = name
        self.value: Array | None = None

    def read(self) -> Array:
        if self.value is None:
            raise FailedPreconditionError(
                None, None, f"The variable {self.name!r} was read before it had a value."
            )
        return self.value

    def assign(self, value: Array) -> None:
        self.value = value


class OwnedState:
    """What an op keeps between its runs, such as the counter of a random number generator."""

    def __init__(self, value: Any) -> None:
        self.lock = threading.Lock()
        self.value = value


_owned: dict[Any, OwnedState] = {}
_owned_lock = threading.Lock()


def owned_state(op: Op, attrs: Mapping[str, Any]) -> OwnedState:
    """The state of the eager op with these attributes, made when it is first asked for."""
    key = (op, *sorted(attrs.items()))
    with _owned_lock:
        found = _owned.get(key)
        if found is None:
            assert op.initial is not None
            found = _owned[key] = OwnedState(op.initial(**attrs))
        return found


def forget_owned_states() -> None:
    """Start every eager op with a state anew, as `tf.random.set_seed` does."""
    with _owned_lock:
        _owned.clear()


def as_numpy(value: Array) -> np.ndarray[Any, Any]:
    return value if isinstance(value, np.ndarray) else np.asarray(value)
