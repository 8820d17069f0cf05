"""Checks of values in compiled programs: indices in range, divisors that are not zero.

In eager mode the `check` of an op raises. A compiled program only notes that something was wrong,
and the error is raised when it is done.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.op.traits import Guard
from runnel.core.tensor.static import constant_value
from runnel.core.values.types import Array, Namespace


def in_range(xp: Namespace, indices: Array, size: int) -> Any:
    """Whether all indices are in [0, size)."""
    return _all(xp, (indices >= 0) & (indices < size))


def rows_in_range(
    xp: Namespace, indices: Array, shape: tuple[int, ...], bad_indices_policy: str = ""
) -> Any:
    """Whether every row of `indices` names a place in a tensor of `shape`."""
    depth = indices.shape[-1] if indices.shape else 0
    if bad_indices_policy == "IGNORE" or depth > len(shape):
        return True
    return _all(xp, (indices >= 0) & (indices < np.array(shape[:depth], np.int64)))


def _all(xp: Namespace, flags: Any) -> Any:
    """Whether all flags are set; at once if they are known while compiling."""
    return np.all(flags) if isinstance(flags, np.ndarray | np.generic) else xp.all(flags)


_INDICES = "`indices` must be in range, got some that are not"


def _rows(xp: Namespace, x: Array, indices: Array, *rest: Array, **attrs: Any) -> Any:
    return rows_in_range(xp, indices, x.shape, attrs.get("bad_indices_policy", ""))


def _least_of_rows(x: Array, indices: Array, *rest: Array, **attrs: Any) -> int | None:
    return min(x.shape[: indices.shape[-1]], default=None) if indices.shape else None


def indices_within(size: Any, place: int = 1) -> Guard:
    """That the indices, argument `place`, are below what `size` gives for the op's arguments."""

    def fine(xp: Namespace, *values: Array, **attrs: Any) -> Any:
        return in_range(xp, values[place], size(*values, **attrs))

    return Guard(fine, _INDICES, size=size)


def indices_along(find_axis: Any) -> Guard:
    """That indices are in range of the axis that `find_axis` gives for the op's arguments."""
    return indices_within(lambda x, *rest, **attrs: x.shape[find_axis(x, *rest, **attrs)])


def first_size(x: Array, *rest: Array, **attrs: Any) -> int:
    """How many slices there are along the first axis."""
    return int(x.shape[0])


def _not_zero(xp: Namespace, x: Array, y: Array) -> Any:
    return True if np.dtype(y.dtype).kind not in "iu" else _all(xp, y != 0)


def _finite(xp: Namespace, tensor: Array, **attrs: Any) -> Any:
    return _all(xp, xp.isfinite(tensor))


def _may_be_zero(operation: Any) -> bool:
    divisor = operation.inputs[1]
    if not divisor.dtype.is_integer:
        return False
    known = constant_value(divisor)
    return known is None or not np.all(known)


ROWS = Guard(_rows, _INDICES, size=_least_of_rows)
FIRST_AXIS = indices_within(first_size)
NOT_ZERO = Guard(_not_zero, "`y` must not be zero in an integer division, got a zero", _may_be_zero)
FINITE = Guard(_finite, "the tensor has NaN or infinite values")
