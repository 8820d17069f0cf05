"""Derivatives of functions of real and complex tensors, checked against finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runnel as tf


def random(*shape: int, seed: int = 0, dtype: str = "complex128") -> np.ndarray:
    """Normal random numbers of a wide dtype, the same every time."""
    generator = np.random.default_rng([seed, *shape])
    real, imaginary = generator.normal(size=(2, *shape))
    return (real + 1j * imaginary).astype(dtype) if dtype.startswith("complex") else real


def assert_slopes(fn: Callable[..., Any], *inputs: np.ndarray) -> None:
    """The gradient that a tape gives of `fn` at each input is the one of finite differences."""
    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        outputs = tf.nest.flatten(fn(*tensors))
    weights = [random(*o.shape, seed=7, dtype=o.dtype.name) for o in outputs]
    found = tape.gradient(outputs, tensors, output_gradients=[tf.constant(w) for w in weights])
    for i, x in enumerate(inputs):
        direction = random(*x.shape, seed=8, dtype=x.dtype.name)
        slope = _slope(fn, inputs, i, direction, weights)
        predicted = np.sum(np.conj(found[i].numpy()) * direction).real
        assert predicted == pytest.approx(slope, rel=1e-5, abs=1e-6), f"input {i}"


def _slope(fn: Any, inputs: Any, place: int, direction: np.ndarray, weights: Any) -> float:
    step = 1e-6
    ends = []
    for sign in (1, -1):
        moved = [x + sign * step * direction if i == place else x for i, x in enumerate(inputs)]
        outputs = tf.nest.flatten(fn(*[tf.constant(x) for x in moved]))
        pairs = zip(weights, outputs, strict=True)
        ends.append(sum(np.sum(np.conj(w) * o.numpy()).real for w, o in pairs))
    return (ends[0] - ends[1]) / (2 * step)
