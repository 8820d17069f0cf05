"""Tables of Keras layers as plain data, for TensorFlow (which records answers) and for the tests.

A file `layers_<family>.py` has `ROWS`, a list of `layer(...)`. To add a layer, add a row, record:

    python tests/golden/make_keras_layers.py <family>
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Row:
    """One layer and what it is called with.

    name: the class in `tf.keras.layers`, or "own." and one of own_layers.py. inputs: an array, or
    a nest of arrays. kwargs: of the constructor; `inner` stands for a layer, `made` for what needs
    `tf`. call: further arguments of the call. gradient: whether to compare gradients by the float
    inputs and the weights. random: whether the outputs are random, so that only their shape is
    compared. shapes: whether `compute_output_shape` tells all outputs of this call. tolerance:
    relative and absolute.
    beyond: what tf_keras refuses by a mistake or for want of a kernel, while here there is an
    answer: "shape", "passed mask" or "mixed precision".
    """

    name: str
    inputs: Any
    kwargs: dict[str, Any]
    call: dict[str, Any] = field(default_factory=dict)
    gradient: bool = True
    random: bool = False
    shapes: bool = True
    tolerance: float = 2e-5
    beyond: tuple[str, ...] = ()
    id: str = ""


def layer(name: str, inputs: Any, _call: Any = None, **kwargs: Any) -> Row:
    """A row; options of `Row` are keywords with a leading underscore."""
    options = {key[1:]: kwargs.pop(key) for key in list(kwargs) if key.startswith("_")}
    return Row(name, inputs, kwargs, _call or {}, **options)


@dataclass
class Inner:
    """A layer as an argument of another: `inner("LSTMCell", 3)`, `inner("own.Fading", 3)`."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def inner(name: str, *args: Any, **kwargs: Any) -> Inner:
    return Inner(name, args, kwargs)


@dataclass
class Made:
    """An argument that needs `tf`: `made(lambda tf: tf.constant(["a"]))`."""

    by: Callable[[Any], Any]


made = Made


def floats(*shape: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    """Reproducible float32 numbers."""
    return (np.random.default_rng(seed).normal(size=shape) * scale).astype(np.float32)


def ints(*shape: int, high: int = 5, seed: int = 0) -> np.ndarray:
    """Reproducible int32 numbers from zero."""
    return np.random.default_rng(seed).integers(0, high, shape).astype(np.int32)


def families() -> list[str]:
    names = [m.name for m in pkgutil.iter_modules(__path__)]
    return [name.removeprefix("layers_") for name in names if name.startswith("layers_")]


def rows(family: str) -> list[Row]:
    found = importlib.import_module(f"{__name__}.layers_{family}").ROWS
    counts: dict[str, int] = {}
    for row in found:
        counts[row.name] = counts.get(row.name, 0) + 1
        row.id = f"{row.name}-{counts[row.name]}"
    return list(found)
