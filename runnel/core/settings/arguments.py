"""Arguments of public functions that are Python values, checked where they come in."""

from __future__ import annotations

import functools
import math
import mmap
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.values.errors import InvalidArgumentError, ResourceExhaustedError, describe_value


def integer(function: str, argument: str, value: Any) -> int:
    """An argument that counts, as a Python number; a scalar tensor of integers will do.

    >>> integer("repeat", "axis", 1.5)
    Traceback (most recent call last):
    TypeError: repeat: `axis` must be an integer, got 1.5.
    """
    if type(value) is int:
        return value
    try:
        return operator.index(value)
    except (TypeError, AttributeError):  # the latter from tensors
        got = describe_value(value)
        raise TypeError(f"{function}: `{argument}` must be an integer, got {got}.") from None


def whole(function: str, argument: str, value: Any) -> int:
    """An argument that counts, or the whole part of a number, which must be finite.

    >>> whole("take", "count", 2.5)
    2
    >>> whole("take", "count", math.inf)
    Traceback (most recent call last):
    TypeError: take: `count` must be a finite number, got inf.
    """
    if type(value) is int:
        return value
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        got = describe_value(value)
        raise TypeError(f"{function}: `{argument}` must be a finite number, got {got}.") from None


def integers(function: str, argument: str, value: Any) -> np.ndarray[Any, Any]:
    """An argument that counts, or several, as an array: of int64 where int32 is too narrow."""
    found = np.asarray(value)
    if found.size and found.dtype.kind not in "iu":
        got = describe_value(value)
        raise TypeError(f"{function}: `{argument}` must hold integers, got {got}.")
    narrow = not found.size or (found.min() >= -(2**31) and found.max() < 2**31)
    return found.astype(np.int32 if narrow else np.int64)


def operand(function: str, argument: str, value: Any) -> Any:
    """An argument that is computed with as it is: a number, an array or a tensor, no sequence.

    >>> operand("arange", "stop", [1])
    Traceback (most recent call last):
    TypeError: arange: `stop` must be a number, an array or a tensor, got [1].
    """
    if value is None or isinstance(value, str | bytes | list | tuple | dict | type):
        want = "must be a number, an array or a tensor"
        raise TypeError(f"{function}: `{argument}` {want}, got {describe_value(value)}.")
    return value


def check_room(function: str, dims: Sequence[int], size: int = 1) -> None:
    """An error for a shape, of elements of `size` bytes, that this machine cannot hold."""
    count = math.prod(dims)
    if count * size < _SURELY_FITS or count * size <= min(_memory(), _allowance()):
        return
    message = f"{function}: the result must fit into memory, got the shape {list(dims)}."
    raise (InvalidArgumentError if count >> 63 else ResourceExhaustedError)(None, None, message)


_SURELY_FITS = 1 << 28  # bytes
_UNKNOWN = 1 << 46


@functools.cache
def _memory() -> int:
    """The bytes that this machine has, those it can swap out too."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            known = dict(line.split(":") for line in file)
        return sum(int(known[key].split()[0]) << 10 for key in ("MemTotal", "SwapTotal"))
    except (OSError, KeyError, ValueError):  # not Linux
        return _UNKNOWN


def _allowance() -> int:
    """The bytes that this process may still take, by the limit of its address space."""
    try:
        with open("/proc/self/limits", encoding="ascii") as file:
            limit = next(line for line in file if line.startswith("Max address space")).split()[3]
        with open("/proc/self/statm", encoding="ascii") as file:
            taken = int(file.read().split()[0]) * mmap.PAGESIZE
    except (OSError, StopIteration):  # not Linux
        return _UNKNOWN
    return _UNKNOWN if limit == "unlimited" else int(limit) - taken
