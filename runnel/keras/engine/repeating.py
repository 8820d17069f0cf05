"""Tensors that grow along several axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import runnel as tf


def repeated_along(x: Any, factors: Sequence[int], start: int) -> Any:
    """`x` with its elements repeated along axes, after a look at the size of it all."""
    if tf.executing_eagerly() and tf.is_tensor(x) and len(x.shape) >= start + len(factors):
        dims = x.shape.as_list()
        for axis, factor in enumerate(factors, start):
            dims[axis] *= factor
        tf.broadcast_to(tf.zeros([], x.dtype), dims)  # which takes no memory itself
    for axis, factor in enumerate(factors, start):
        x = tf.repeat(x, factor, axis=axis)
    return x
