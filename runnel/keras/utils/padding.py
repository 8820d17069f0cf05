"""Sequences of different lengths as one array."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import runnel as tf

_SIDES = ("pre", "post")


def filled(function: str, shape: Sequence[int], value: Any, dtype: Any) -> np.ndarray:
    """An array of one value; ResourceExhaustedError if this machine cannot hold it."""
    size = np.dtype(dtype).itemsize or 1
    if 0 <= math.prod(shape) * size < 2**63:  # otherwise NumPy says what is wrong
        tf.__internal__.arguments.check_room(function, shape, size)
    return np.full(shape, value, dtype=dtype)


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> np.ndarray:
    """One row per sequence, filled up with `value` or cut to `maxlen`.

    >>> tf.keras.utils.pad_sequences([[1], [2, 3]], padding="post")
    array([[1, 0],
           [2, 3]], dtype=int32)
    """
    if not hasattr(sequences, "__len__"):
        raise ValueError("`sequences` must be iterable.")
    lengths = [_length(sequence) for sequence in sequences]
    longer = [sequence for sequence, length in zip(sequences, lengths) if length]
    shape = np.asarray(longer[0]).shape[1:] if longer else ()
    width: int = np.max(lengths) if maxlen is None else maxlen
    _check_value(value, dtype)
    rows = filled("pad_sequences", (len(sequences), width, *shape), value, dtype)
    for i, sequence in enumerate(sequences):
        if not lengths[i]:
            continue
        if truncating not in _SIDES:
            raise ValueError(f'`truncating` must be one of {_SIDES}, got "{truncating}".')
        if padding not in _SIDES:
            raise ValueError(f'`padding` must be one of {_SIDES}, got "{padding}".')
        kept = sequence[-width:] if truncating == "pre" else sequence[:width]
        kept = np.asarray(kept, dtype=dtype)
        if kept.shape[1:] != shape:
            raise ValueError(
                f"The elements of sequence {i} have the shape {kept.shape[1:]}; those of the "
                f"sequences before it have {shape}."
            )
        place = slice(len(kept)) if padding == "post" else slice(-len(kept), None)
        rows[i, place] = kept
    return rows


def _length(sequence: Any) -> int:
    try:
        return len(sequence)
    except TypeError as error:
        raise ValueError(
            f"`sequences` must be a list of iterables, but one element is {sequence}."
        ) from error


def _check_value(value: Any, dtype: Any) -> None:
    if isinstance(value, str) and np.dtype(dtype).kind not in "OU":
        raise ValueError(
            f"`value` is a string, which does not fit `dtype` {dtype}. Use dtype=object for "
            "strings of any length."
        )
