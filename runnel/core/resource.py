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
    """The memory of a variable: one array, replaced as a whole by each assignment.

    The array is NumPy's, or JAX's when a compiled program made it. `shared` says that somebody else may
    hold the same memory, so that it must not be given away to be overwritten.
    """

    def __init__(self, dtype: DType, static_shape: TensorShape, name: str) -> None:
        super().__init__()
        self.dtype = dtype
        self.static_shape = static_shape
        self.name = name
        self.value: Array | None = None
        self.shared = True

    @property
    def elements(self) -> int:
        return int(self.value.size) if self.value is not None else 0

    def _held(self) -> Array:
        if self.value is None:
            raise FailedPreconditionError(
                None, None, f"The variable {self.name!r} was read before it had a value."
            )
        return self.value

    def read(self) -> Array:
        """The value as NumPy's."""
        value = self._held()
        if not isinstance(value, np.ndarray | np.generic):
            self.value = value = np.asarray(value)
        self.shared = True
        return value

    def assign(self, value: Array) -> None:
        self.value = value
        self.shared = True

    def lend(self) -> Array:
        """The value for a program that only reads it."""
        return self._held()

    def give(self) -> Array:
        """The value for a program that overwrites its memory; a copy if somebody else may hold it."""
        value = self._held()
        return value.copy() if self.shared and not isinstance(value, np.ndarray) else value

    def take(self, value: Array) -> None:
        """The new value, which nobody else holds."""
        self.value = value
        self.shared = False


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
