"""Normal numbers between bounds, as TensorFlow's CPU kernels make them.

One stream serves all batches in turn: a batch begins with the block after the last one that the
batch before it used. (TensorFlow starts again from a fixed place wherever it cuts the work between
threads, so that its numbers depend on the machine; these are the ones it gives on a single thread.)
The kernel runs on the host, in NumPy, and computes in the dtype of the parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from runnel.core import philox
from runnel.core.random_bits import box_muller, unit
from runnel.core.types import Array

MAX_REJECTIONS = 1000
_NORMAL_REACH = 1.3  # with a bound this far on the other side of the mean, plain normals will do
_BATCH = 100  # how many numbers TensorFlow draws in a row where all batches are alike


def stateful_batches(shape: tuple[int, ...], *, alike: bool) -> tuple[int, int]:
    """How many batches `ParameterizedTruncatedNormal` draws, and how many numbers in each.

    A batch is a row of the result, or a hundred numbers where the parameters are `alike` for all.
    """
    if alike:
        return -(-math.prod(shape) // _BATCH), _BATCH
    return shape[0], math.prod(shape[1:])


def stateful_steps(shape: tuple[int, ...], *, alike: bool) -> int:
    """How far one call of `ParameterizedTruncatedNormal` moves its counter."""
    batches, samples = stateful_batches(shape, alike=alike)
    return batches * 2 * MAX_REJECTIONS * (samples + 3) // 4
