"""`tf.experimental.numpy`: comparisons, logic, and what kind of number each element is."""

from __future__ import annotations

import math
from typing import Any

from runnel.core.extend import Tensor, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.types import TensorLike
from .elementwise import Binary, binary, imag, inexact_unary, named
from .promotion import as_inexact, asarray, common_dtype, is_inexact, promoted, promoted_as_numpy


def _logical(name: str, op: str) -> Binary:
    def function(x1: TensorLike, x2: TensorLike) -> Tensor:
        x, y = (asarray(v, dtypes.bool) for v in (x1, x2))
        return getattr(raw_ops, op)(x, y)

    return named(
        function, name, "The logical operation on values taken as truth, element by element."
    )


equal = binary("equal", "Equal", "Whether two are equal", promote=promoted)
not_equal = binary("not_equal", "NotEqual", "Whether two differ", promote=promoted)
less = binary("less", "Less", "Whether `x1 < x2`", promote=promoted)
less_equal = binary("less_equal", "LessEqual", "Whether `x1 <= x2`", promote=promoted)
greater = binary("greater", "Greater", "Whether `x1 > x2`", promote=promoted)
greater_equal = binary("greater_equal", "GreaterEqual", "Whether `x1 >= x2`", promote=promoted)
logical_and = _logical("logical_and", "LogicalAnd")
logical_or = _logical("logical_or", "LogicalOr")
logical_xor = _logical("logical_xor", "NotEqual")
isnan = inexact_unary("isnan", "IsNan", "Whether `x` is not a number")
isfinite = inexact_unary("isfinite", "IsFinite", "Whether `x` is neither infinite nor not a number")
isinf = inexact_unary("isinf", "IsInf", "Whether `x` is infinite")


def logical_not(x: TensorLike) -> Tensor:
    """Whether each value is false."""
    return raw_ops.LogicalNot(asarray(x, dtypes.bool))


def signbit(x: TensorLike) -> Tensor:
    """Whether `x` is negative."""
    x = asarray(x)
    if x.dtype is dtypes.bool:
        return raw_ops.Fill(raw_ops.Shape(x), False)
    return raw_ops.Less(x, 0)


def iscomplex(x: TensorLike) -> Tensor:
    """Whether the imaginary part is not 0."""
    return not_equal(imag(x), 0)


def isreal(x: TensorLike) -> Tensor:
    """Whether the imaginary part is 0."""
    return equal(imag(x), 0)


def iscomplexobj(x: Any) -> bool:
    """Whether the dtype of `x` is complex."""
    return common_dtype(x).is_complex


def isrealobj(x: Any) -> bool:
    """Whether the dtype of `x` is not complex."""
    return not iscomplexobj(x)


def isposinf(x: TensorLike) -> Tensor:
    """Whether `x` is plus infinity."""
    return equal(as_inexact(x), math.inf)


def isneginf(x: TensorLike) -> Tensor:
    """Whether `x` is minus infinity."""
    return equal(as_inexact(x), -math.inf)


def isclose(
    a: TensorLike, b: TensorLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether `|a - b| <= atol + rtol * |b|`; infinities are never close, as in TensorFlow.

    >>> tf.experimental.numpy.isclose([1.0, 2.0], [1.0, 2.1]).numpy()
    array([ True, False])
    """
    x, y = promoted_as_numpy(a, b)
    if not is_inexact(x.dtype):
        return raw_ops.Equal(x, y)
    near = raw_ops.LessEqual(abs(x - y), atol + rtol * abs(y))
    if not equal_nan:
        return near
    both = raw_ops.LogicalAnd(raw_ops.NotEqual(x, x), raw_ops.NotEqual(y, y))
    return raw_ops.LogicalOr(near, both)
