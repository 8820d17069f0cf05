"""Checks of values in compiled programs: indices in range, divisors that are not zero.

In eager mode the `check` of an op raises. A compiled program only notes that something was wrong,
and the error is raised when it is done.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.op import Guard
from runnel.core.static import constant_value
from runnel.core.types import Array, Namespace


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


def _first_axis(xp: Namespace, x: Array, indices: Array, *rest: Array, **attrs: Any) -> Any:
    return in_range(xp, indices, x.shape[0])


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


ROWS = Guard(_rows, _INDICES)
FIRST_AXIS = Guard(_first_axis, _INDICES)
NOT_ZERO = Guard(_not_zero, "`y` must not be zero in an integer division, got a zero", _may_be_zero)
FINITE = Guard(_finite, "the tensor has NaN or infinite values")


def indices_along(find_axis: Any) -> Guard:
    """That indices are in range of the axis that `find_axis` gives for the op's arguments."""

    def fine(xp: Namespace, x: Array, indices: Array, *rest: Array, **attrs: Any) -> Any:
        return in_range(xp, indices, x.shape[find_axis(x, indices, *rest, **attrs)])

    return Guard(fine, _INDICES)
