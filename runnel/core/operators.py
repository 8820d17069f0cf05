"""Python's operators on tensors and variables, each a call of an op."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core import dtypes
from runnel.core.raw import raw_ops
from runnel.core.types import TensorLike

if TYPE_CHECKING:
    from runnel.core.dtypes import DType
    from runnel.core.op import Op

_PLAIN = (numbers.Number, np.ndarray, np.generic, str, bytes, list, tuple, type(None))


def binary(op: Op, x: TensorLike, y: TensorLike, other: TensorLike) -> Any:
    """`op(x, y)`; where `other` is no tensor and none can be made of it, its own operator is asked."""
    try:
        return op(x, y)
    except (TypeError, ValueError):
        if isinstance(other, (Operators, *_PLAIN)):
            raise
        return NotImplemented


def _partner_dtype(x: TensorLike, y: TensorLike) -> DType:
    dtype: DType = x._dtype if isinstance(x, Operators) else y._dtype
    return dtype


def _by_dtype(for_bool: str, for_int: str, x: TensorLike, y: TensorLike, other: TensorLike) -> Any:
    name = for_bool if _partner_dtype(x, y) is dtypes.bool else for_int
    return binary(getattr(raw_ops, name), x, y, other)


def _divide(x: TensorLike, y: TensorLike, other: TensorLike) -> Any:
    """True division: integers are divided as float64 (as float32 when they have 16 bits at most)."""
    dtype = _partner_dtype(x, y)
    if dtype.is_integer:
        wide = dtypes.float32 if dtype.size <= 2 else dtypes.float64
        x, y = _as_float(x, dtype, wide), _as_float(y, dtype, wide)
    return binary(raw_ops.RealDiv, x, y, other)


def _as_float(x: TensorLike, dtype: DType, wide: DType) -> Any:
    if not isinstance(x, Operators):
        x = raw_ops.Identity(np.asarray(x, dtype.np_dtype)) if isinstance(x, int | np.ndarray) else x
    return raw_ops.Cast(x, DstT=wide) if getattr(x, "_dtype", None) is dtype else x


def _add(x: TensorLike, y: TensorLike, other: TensorLike) -> Any:
    if _partner_dtype(x, y) is dtypes.string:
        return binary(raw_ops.Add, x, y, other)
    return binary(raw_ops.AddV2, x, y, other)


def _matmul(x: TensorLike, y: TensorLike, other: TensorLike) -> Any:
    x_rank, y_rank = np.ndim(x) if not isinstance(x, Operators) else x.ndim, None
    y_rank = np.ndim(y) if not isinstance(y, Operators) else y.ndim
    if x_rank == 2 and y_rank == 2:
        return binary(raw_ops.MatMul, x, y, other)
    return binary(raw_ops.BatchMatMulV2, x, y, other)


def _equal(x: TensorLike, y: TensorLike) -> Any:
    if y is None:
        return False
    if not isinstance(y, (Operators, *_PLAIN)):
        return binary(raw_ops.Equal, x, y, y)
    return raw_ops.Equal(x, y, incompatible_shape_error=False)


def _not_equal(x: TensorLike, y: TensorLike) -> Any:
    if y is None:
        return True
    if not isinstance(y, (Operators, *_PLAIN)):
        return binary(raw_ops.NotEqual, x, y, y)
    return raw_ops.NotEqual(x, y, incompatible_shape_error=False)


class Operators:
    """The operators, for `Tensor` and `Variable` alike."""

    __slots__ = ()
    __array_priority__ = 100
    _dtype: DType

    @property
    def ndim(self) -> int | None:
        raise NotImplementedError

    def __add__(self, other: TensorLike) -> Any:
        return _add(self, other, other)

    def __radd__(self, other: TensorLike) -> Any:
        return _add(other, self, other)

    def __sub__(self, other: TensorLike) -> Any:
        return binary(raw_ops.Sub, self, other, other)

    def __rsub__(self, other: TensorLike) -> Any:
        return binary(raw_ops.Sub, other, self, other)

    def __mul__(self, other: TensorLike) -> Any:
        return binary(raw_ops.Mul, self, other, other)

    def __rmul__(self, other: TensorLike) -> Any:
        return binary(raw_ops.Mul, other, self, other)

    def __truediv__(self, other: TensorLike) -> Any:
        return _divide(self, other, other)

    def __rtruediv__(self, other: TensorLike) -> Any:
        return _divide(other, self, other)

    __div__ = __truediv__
    __rdiv__ = __rtruediv__

    def __floordiv__(self, other: TensorLike) -> Any:
        return binary(raw_ops.FloorDiv, self, other, other)

    def __rfloordiv__(self, other: TensorLike) -> Any:
        return binary(raw_ops.FloorDiv, other, self, other)

    def __mod__(self, other: TensorLike) -> Any:
        return binary(raw_ops.FloorMod, self, other, other)

    def __rmod__(self, other: TensorLike) -> Any:
        return binary(raw_ops.FloorMod, other, self, other)

    def __pow__(self, other: TensorLike) -> Any:
        return binary(raw_ops.Pow, self, other, other)

    def __rpow__(self, other: TensorLike) -> Any:
        return binary(raw_ops.Pow, other, self, other)

    def __matmul__(self, other: TensorLike) -> Any:
        return _matmul(self, other, other)

    def __rmatmul__(self, other: TensorLike) -> Any:
        return _matmul(other, self, other)

    def __lt__(self, other: TensorLike) -> Any:
        return binary(raw_ops.Less, self, other, other)

    def __le__(self, other: TensorLike) -> Any:
        return binary(raw_ops.LessEqual, self, other, other)

    def __gt__(self, other: TensorLike) -> Any:
        return binary(raw_ops.Greater, self, other, other)

    def __ge__(self, other: TensorLike) -> Any:
        return binary(raw_ops.GreaterEqual, self, other, other)

    def __eq__(self, other: object) -> Any:
        return _equal(self, other)

    def __ne__(self, other: object) -> Any:
        return _not_equal(self, other)

    def __and__(self, other: TensorLike) -> Any:
        return _by_dtype("LogicalAnd", "BitwiseAnd", self, other, other)

    def __rand__(self, other: TensorLike) -> Any:
        return _by_dtype("LogicalAnd", "BitwiseAnd", other, self, other)

    def __or__(self, other: TensorLike) -> Any:
        return _by_dtype("LogicalOr", "BitwiseOr", self, other, other)

    def __ror__(self, other: TensorLike) -> Any:
        return _by_dtype("LogicalOr", "BitwiseOr", other, self, other)

    def __xor__(self, other: TensorLike) -> Any:
        return _by_dtype("NotEqual", "BitwiseXor", self, other, other)

    def __rxor__(self, other: TensorLike) -> Any:
        return _by_dtype("NotEqual", "BitwiseXor", other, self, other)

    def __neg__(self) -> Any:
        return raw_ops.Neg(self)

    def __abs__(self) -> Any:
        if self._dtype.is_complex:
            return raw_ops.ComplexAbs(self, Tout=self._dtype.real_dtype)
        return raw_ops.Abs(self)

    def __invert__(self) -> Any:
        return raw_ops.LogicalNot(self) if self._dtype is dtypes.bool else raw_ops.Invert(self)
