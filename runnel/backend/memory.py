"""Where large arrays lie: XLA reads an array in place if its address is a multiple of 64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.backend.jax import jax
from runnel.core.values.types import Array

_ALIGNMENT = 64
_BYTES_TO_ALIGN = 1 << 17  # bytes; smaller ones are copied faster than they are aligned


def is_aligned(array: np.ndarray[Any, Any]) -> bool:
    """Whether XLA reads this array where it is."""
    return array.ctypes.data % _ALIGNMENT == 0


def copied(array: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A copy of `array` in rows one after another, which XLA need not copy again."""
    if array.nbytes < _BYTES_TO_ALIGN or dtype.hasobject:
        return np.array(array, dtype, copy=True, order="C")
    memory = np.empty(array.size * dtype.itemsize + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    copy = memory[start : start + array.size * dtype.itemsize].view(dtype).reshape(array.shape)
    np.copyto(copy, array, casting="unsafe")
    return copy


def on_device(array: Any, device: Any = None, *, as_copy: bool = False) -> Any:
    """An array as JAX's, on a device if one is given, in memory of its own if `as_copy`.

    `jnp.asarray` and `jnp.array` would compile a program for each new shape: 90 of them for the
    variables of MobileNetV2, 2 s.
    """
    if device is not None:
        return jax.device_put(array, device)
    return jax.device_put(array, may_alias=False) if as_copy else jax.device_put(array)


def described(array: Any) -> Any:
    """What JAX traces in place of an array."""
    return jax.ShapeDtypeStruct(array.shape, array.dtype)


LARGE = 1 << 15  # elements; below, NumPy is done before XLA has been called


def is_large(values: Sequence[Array]) -> bool:
    for value in values:  # noqa: SIM110 (`any` takes as long as the smallest kernels)
        if value.size > LARGE:
            return True
    return False
