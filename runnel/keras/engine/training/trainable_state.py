"""Which layers learn: what `compile` saw counts in `fit`, whatever was changed since."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

State = list[tuple[Any, bool]]


def trainable_state(model: Any) -> State:
    """The layers of a model, outer before inner, and whether they learn."""
    layers = model._flatten_layers()
    return [(weakref.ref(layer), layer.trainable) for layer in layers]


@contextmanager
def trainable_as(state: Iterable[tuple[Any, bool]]) -> Iterator[None]:
    """Inside, layers learn as they did when `state` was taken."""
    then = [(layer, value) for ref, value in state if (layer := ref()) is not None]
    now = [(layer, layer.trainable) for layer, _ in then]
    changed = any(a[1] != b[1] for a, b in zip(then, now))
    try:
        if changed:
            _set(then)
        yield
    finally:
        if changed:
            _set(now)


def _set(state: list[tuple[Any, bool]]) -> None:
    for layer, value in state:  # an inner layer follows, and undoes what its outer one did to it
        layer.trainable = value
