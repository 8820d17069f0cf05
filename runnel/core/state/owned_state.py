"""States that ops keep of their own between runs, such as counters of random number generators."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from runnel.backend.cache import BoundedCache
from runnel.core.op.context import state
from runnel.core.values.types import Array

if TYPE_CHECKING:
    from runnel.core.op.op import Op


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
        self.tensors: dict[str, Any] = {}  # values that a session keeps between runs, by handle
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


def _place() -> str | None:
    """The device that was chosen, if it is another than the first CPU."""
    device = state.device
    return None if device is None or device.upper().endswith("CPU:0") else device


def owned_state(op: Op, values: Sequence[Array], attrs: Mapping[str, Any]) -> OwnedState:
    """The state of the eager op with these attributes and dtypes on the device where it runs, made
    when first asked for.
    """
    key = (op, _place(), *[v.dtype for v in values], *attrs.items())
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
