"""What a resource handle points to: things with a state, such as the memory of a variable."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core import xla
from runnel.core.cache import BoundedCache
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

    It is held as NumPy's, as JAX's, or as both, whoever asked for it. `_shared` says that somebody
    else may hold the same memory, so that it must not be given away to be overwritten.
    """

    def __init__(self, dtype: DType, static_shape: TensorShape, name: str) -> None:
        super().__init__()
        self.dtype = dtype
        self.static_shape = static_shape
        self.name = name
        self._host: Array | None = None
        self._device: Array | None = None
        self._shared = True

    @property
    def value(self) -> Array | None:
        """The value as NumPy's, None before there is one."""
        if self._host is None and self._device is not None:
            self._host = np.asarray(self._device)
            self._shared = True
        return self._host

    @value.setter
    def value(self, value: Array) -> None:
        self.assign(value)

    @property
    def elements(self) -> int:
        held = self._device if self._host is None else self._host
        return 0 if held is None else int(held.size)

    def read(self) -> Array:
        """The value as NumPy's; an error before there is one."""
        value = self._host
        if value is None:
            value = self.value
            if value is None:
                raise self._empty()
        return value

    def _empty(self) -> Exception:
        message = f"The variable {self.name!r} was read before it had a value."
        return FailedPreconditionError(None, None, message)

    def assign(self, value: Array) -> None:
        self._host = value
        self._device = None

    def lend(self) -> Array:
        """The value for a compiled program that only reads it."""
        if self._device is None:
            self._device = xla.jnp.asarray(self.read())
            self._shared = True
        return self._device

    def give(self) -> Array:
        """The value for a program that overwrites its memory: a copy if it may be shared."""
        if self._device is None or self._host is not None or self._shared:
            return xla.jnp.array(self.read() if self._device is None else self._device, copy=True)
        return self._device

    def take(self, value: Array) -> None:
        """The new value that a compiled program made, which nobody else holds."""
        self._host, self._device, self._shared = None, value, False


class OwnedState:
    """What an op keeps between its runs, such as the counter of a random number generator."""

    def __init__(self, op: Op, attrs: Mapping[str, Any]) -> None:
        assert op.initial is not None
        self.lock = threading.Lock()
        self.value = op.initial(**attrs)
        self._generation = _generation

    @property
    def forgotten(self) -> bool:
        """Whether `forget_owned_states` was called since it was made."""
        return self._generation != _generation


class OwnedStates:
    """The states of a graph's ops in one of its uses, such as by one iterator over a dataset."""

    def __init__(self) -> None:
        self._states: dict[Any, OwnedState] = {}
        self._lock = threading.Lock()

    def of(self, operation: Any) -> OwnedState:
        """The state of an operation, made when first asked for."""
        with self._lock:
            found = self._states.get(operation)
            if found is None:
                found = self._states[operation] = OwnedState(operation.op, operation.attrs)
            return found


_owned: BoundedCache[OwnedState] = BoundedCache(1 << 14)
_owned_lock = threading.Lock()
_generation = 0


def owned_state(op: Op, values: Sequence[Array], attrs: Mapping[str, Any]) -> OwnedState:
    """The state of the eager op with these attributes and dtypes, made when first asked for."""
    key = (op, *[v.dtype for v in values], *attrs.items())
    with _owned_lock:
        found = _owned.get(key)
        if found is None:
            found = _owned[key] = OwnedState(op, attrs)
        return found


def forget_owned_states() -> None:
    """Start every op with a state anew, also those in graphs, as `tf.random.set_seed` does."""
    global _generation
    with _owned_lock:
        _generation += 1
        _owned.clear()
