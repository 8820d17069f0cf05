"""Where large arrays lie: XLA reads an array in place if its address is a multiple of 64."""

from __future__ import annotations

from typing import Any

import numpy as np

_ALIGNMENT = 64
_LARGE = 1 << 17  # bytes; smaller ones are copied faster than they are aligned


def is_aligned(array: np.ndarray[Any, Any]) -> bool:
    """Whether XLA reads this array where it is."""
    return array.ctypes.data % _ALIGNMENT == 0


def copied(array: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A copy of `array` in rows one after another, which XLA need not copy again."""
    if array.nbytes < _LARGE or dtype.hasobject:
        return np.array(array, dtype, copy=True, order="C")
    memory = np.empty(array.size * dtype.itemsize + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    copy = memory[start : start + array.size * dtype.itemsize].view(dtype).reshape(array.shape)
    np.copyto(copy, array, casting="unsafe")
    return copy
