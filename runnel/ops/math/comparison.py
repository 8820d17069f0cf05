"""Comparisons, and the questions whether a float is a number."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import FLOATS, NUMERIC, REAL
from runnel.core.values.errors import bad_shape
from runnel.core.values.shape import broadcast_shapes
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.ops.reduce.reductions import reduce_all
from runnel.ops.shapes import broadcast, same


def _compared(x: Spec, y: Spec, *, op_name: str, incompatible_shape_error: bool) -> Dims:
    if incompatible_shape_error:
        return broadcast(x, y, op_name=op_name)
    if x.dims is None or y.dims is None:
        return None
    rank = max(len(x.dims), len(y.dims))
    pairs = zip(*((1,) * (rank - len(dims)) + tuple(dims) for dims in (x.dims, y.dims)))
    for a, b in pairs:
        if (a is None) != (b is None) and 1 not in (a, b):
            return None  # a single answer is as possible
        if a is not None and b is not None and a != b and 1 not in (a, b):
            return ()
    return broadcast_shapes(x.dims, y.dims)


def _fit(x: Any, y: Any) -> bool:
    return all(a == b or 1 in (a, b) for a, b in zip(reversed(x), reversed(y), strict=False))


@op("Equal", "x: T, y: T -> z: bool", shape=_compared, elementwise=True, takes_unmade=(0,))
def _equal(xp: Namespace, x: Array, y: Array, *, incompatible_shape_error: bool = True) -> Array:
    if not incompatible_shape_error and not _fit(x.shape, y.shape):
        return xp.zeros((), bool)
    return xp.equal(x, y)


no_gradient("Equal")


def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x == y`, element by element, broadcasting as NumPy does.

    Args:
        x: a tensor, or what can become one.
        y: a tensor of the same dtype; shapes broadcast.

    >>> tf.equal([1, 2, 3], 2).numpy()
    array([False,  True, False])
    """
    return raw_ops.Equal(x, y, name=name)


@op("NotEqual", "x: T, y: T -> z: bool", shape=_compared, elementwise=True)
def _not_equal(
    xp: Namespace, x: Array, y: Array, *, incompatible_shape_error: bool = True
) -> Array:
    if not incompatible_shape_error and not _fit(x.shape, y.shape):
        return xp.ones((), bool)
    return xp.not_equal(x, y)


no_gradient("NotEqual")


def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x != y`, element by element, broadcasting as NumPy does.

    Args:
        x: a tensor, or what can become one.
        y: a tensor of the same dtype; shapes broadcast.

    >>> tf.not_equal([1, 2, 3], 2).numpy()
    array([ True, False,  True])
    """
    return raw_ops.NotEqual(x, y, name=name)


@op("Less", "x: T, y: T -> z: bool", T=REAL, shape=broadcast, elementwise=True)
def _less(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.less(x, y)


no_gradient("Less")


def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x < y`, element by element, broadcasting as NumPy does.

    Args:
        x: a tensor, or what can become one.
        y: a tensor of the same dtype; shapes broadcast.

    >>> tf.less([1, 2, 3], 2).numpy()
    array([ True, False, False])
    """
    return raw_ops.Less(x, y, name=name)


@op("LessEqual", "x: T, y: T -> z: bool", T=REAL, shape=broadcast, elementwise=True)
def _less_equal(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.less_equal(x, y)


no_gradient("LessEqual")


def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x <= y`, element by element, broadcasting as NumPy does.

    Args:
        x: a tensor, or what can become one.
        y: a tensor of the same dtype; shapes broadcast.

    >>> tf.less_equal([1, 2, 3], 2).numpy()
    array([ True,  True, False])
    """
    return raw_ops.LessEqual(x, y, name=name)


@op("Greater", "x: T, y: T -> z: bool", T=REAL, shape=broadcast, elementwise=True)
def _greater(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.greater(x, y)


no_gradient("Greater")


def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x > y`, element by element, broadcasting as NumPy does.

    >>> tf.greater([1, 2, 3], 2).numpy()
    array([False, False,  True])
    """
    return raw_ops.Greater(x, y, name=name)


@op("GreaterEqual", "x: T, y: T -> z: bool", T=REAL, shape=broadcast, elementwise=True)
def _greater_equal(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.greater_equal(x, y)


no_gradient("GreaterEqual")


def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x >= y`, element by element, broadcasting as NumPy does.

    >>> tf.greater_equal([1, 2, 3], 2).numpy()
    array([False,  True,  True])
    """
    return raw_ops.GreaterEqual(x, y, name=name)


def _one_shape(x: Array, y: Array, **attrs: Any) -> None:
    if x.shape != y.shape:
        raise bad_shape("ApproximateEqual", want=f"have the shape {x.shape} of `x`", y=y)


@op("ApproximateEqual", "x: T, y: T -> z: bool", T=NUMERIC, shape=same, check=_one_shape)
def _approximate_equal(xp: Namespace, x: Array, y: Array, *, tolerance: float = 1e-05) -> Array:
    return xp.abs(x - y) < np.float32(tolerance)


no_gradient("ApproximateEqual")


@op("IsNan", "x: T -> y: bool", T=FLOATS, shape=same, elementwise=True)
def _is_nan(xp: Namespace, x: Array) -> Array:
    return xp.isnan(x)


def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Which elements are no number.

    >>> tf.math.is_nan([1.0, np.nan, np.inf]).numpy()
    array([False,  True, False])
    """
    return raw_ops.IsNan(x, name=name)


@op("IsInf", "x: T -> y: bool", T=FLOATS, shape=same, elementwise=True)
def _is_inf(xp: Namespace, x: Array) -> Array:
    return xp.isinf(x)


def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Which elements are infinite.

    >>> tf.math.is_inf([1.0, np.nan, np.inf]).numpy()
    array([False, False,  True])
    """
    return raw_ops.IsInf(x, name=name)


@op("IsFinite", "x: T -> y: bool", T=FLOATS, shape=same, elementwise=True)
def _is_finite(xp: Namespace, x: Array) -> Array:
    return xp.isfinite(x)


def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Which elements are numbers and not infinite.

    >>> tf.math.is_finite([1.0, np.nan, np.inf]).numpy()
    array([ True, False, False])
    """
    return raw_ops.IsFinite(x, name=name)


def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether no element, read row by row, is smaller than the one before.

    >>> tf.math.is_non_decreasing([1, 1, 2]).numpy()
    np.True_
    """
    earlier, later = _neighbours(x)
    return reduce_all(raw_ops.LessEqual(earlier, later), name=name)


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether each element, read row by row, is larger than the one before.

    >>> tf.math.is_strictly_increasing([1, 1, 2]).numpy()
    np.False_
    """
    earlier, later = _neighbours(x)
    return reduce_all(raw_ops.Less(earlier, later), name=name)


def _neighbours(x: TensorLike) -> tuple[Tensor, Tensor]:
    given = convert_to_tensor(x)
    if given.dtype in (dtypes.bool, dtypes.string):
        raise TypeError(f"`x` must hold numbers, got {given.dtype.name}.")
    flat = raw_ops.Reshape(given, np.array([-1], np.int32))
    return flat[:-1], flat[1:]
