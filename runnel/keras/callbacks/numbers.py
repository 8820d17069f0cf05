"""Logs as plain numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf


def as_numbers(logs: Any) -> Any:
    """Tensors in a nest as numbers or arrays."""
    return tf.nest.map_structure(_number, logs)


def _number(value: Any) -> Any:
    if isinstance(value, tf.Tensor | tf.Variable):
        value = value.numpy()
    if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0:
        return value.item() if not isinstance(value, bytes) else value
    return value
