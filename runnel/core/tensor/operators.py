"""Python's operators on tensors and variables, each a call of an op."""

# mypy: disable-error-code=no-any-return
# (An op gives anything; here it is a tensor, or NotImplemented, which is Python's affair.)

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.backend import configuration
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import scope_of_ops
from runnel.core.values import dtypes, errors
from runnel.core.values.types import TensorLike

if TYPE_CHECKING:
    from runnel.core.op.op import Op
    from runnel.core.tensor.tensor import Tensor
    from runnel.core.values.dtypes import DType

_PLAIN = (numbers.Number, np.ndarray, np.generic, str, bytes, list, tuple, type(None))


def _not_yet(value: TensorLike, dtype: DType | None = None) -> Any:
    raise RuntimeError("runnel.core.tensor.convert has not been imported")


convert_to_tensor: Callable[..., Any] = _not_yet
"""Makes tensors of operands; `runnel.core.tensor.convert`, which needs this module, puts it
here."""


def binary(op: Op, x: TensorLike, y: TensorLike, other: TensorLike, name: str | None = None) -> Any:
    """`op(x, y)`; where `other` cannot become a tensor, its own operator, if any, is asked."""
    try:
        return op(x, y) if name is None else op(x, y, name=name)
    except (TypeError, ValueError):
        own = isinstance(x, Operators) or isinstance(y, Operators)  # not another class's operator
        if not own or not _answers(other, f"__r{(name or op.default_name).lower()}__"):
            raise
        return NotImplemented


def _answers(other: TensorLike, method: str) -> bool:
    """Whether `other`, neither a tensor nor a plain value, has an operator of its own."""
    return not isinstance(other, (Operators, *_PLAIN)) and hasattr(type(other), method)


def _lenient(op: Op, x: Operators, y: TensorLike, name: str | None = None) -> Any:
    """`binary`, but a number that the dtype cannot hold is an error of the op, not a TypeError."""
    try:
        return binary(op, x, y, y, name)
    except TypeError:
        if hasattr(x, "_op") or not isinstance(y, numbers.Number | str | bytes | list | tuple):
            raise
        raise errors.bad_dtype(op.name, want=f"be of dtype {x._dtype.name}", y=y) from None


def _partner_dtype(x: TensorLike, y: TensorLike) -> DType:
    dtype: DType = x._dtype if isinstance(x, Operators) else y._dtype
    return dtype


def _by_dtype(
    for_bools: Op, for_ints: Op, name: str, x: TensorLike, y: TensorLike, other: TensorLike
) -> Any:
    """A logical op for bools, one on bits for integers, both named after the operator."""
    op = for_bools if _partner_dtype(x, y) is dtypes.bool else for_ints
    return binary(op, x, y, other, name)


def _has_bool(x: TensorLike, y: TensorLike) -> bool:
    """Whether one factor is a bool tensor and the other can be seen as one."""
    if isinstance(x, float | complex) or isinstance(y, float | complex):
        return False
    return dtypes.bool in (getattr(x, "dtype", None), getattr(y, "dtype", None))


def _both(x: TensorLike, y: TensorLike) -> Any:
    """The product where one factor is a bool: whether both are true."""
    return raw_ops.LogicalAnd(*(raw_ops.Cast(v, DstT=dtypes.bool) for v in (x, y)))


QUOTIENTS = {
    **dict.fromkeys((dtypes.int8, dtypes.uint8, dtypes.int16, dtypes.uint16), dtypes.float32),
    **dict.fromkeys((dtypes.int32, dtypes.uint32, dtypes.int64, dtypes.uint64), dtypes.float64),
    **{d: d for d in dtypes.FLOATS | dtypes.COMPLEX},
}
"""The dtype in which true division is done."""


def _divide(x: TensorLike, y: TensorLike, other: TensorLike) -> Any:
    """True division: integers are divided as floats."""
    dtype = _partner_dtype(x, y)
    if isinstance(x, Operators) and isinstance(y, Operators) and x._dtype is not y._dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x._dtype!r} != {y._dtype!r}.")
    wide = QUOTIENTS.get(dtype)
    if wide is None:
        raise TypeError(f"Numbers of dtype {dtype.name} cannot be divided.")
    if wide is dtype:
        return binary(raw_ops.RealDiv, x, y, other)
    with scope_of_ops("truediv") as scope:
        try:
            x, y = convert_to_tensor(x, dtype, name="x"), convert_to_tensor(y, dtype, name="y")
        except (TypeError, ValueError):
            if not _answers(other, "__rtruediv__"):
                raise
            return NotImplemented
        wide_x, wide_y = (raw_ops.Cast(part, DstT=wide) for part in (x, y))
        return raw_ops.RealDiv(wide_x, wide_y, name=scope)


def _others(x: TensorLike) -> Any:
    """NotImplemented, but where not even `x` is a tensor, this is another class's operator."""
    if isinstance(x, Operators):
        return NotImplemented
    raise TypeError(f"`x` must be a tensor, got {type(x).__name__}")


def _equal(x: TensorLike, y: TensorLike) -> Any:
    if not configuration.tensor_equality:
        return x is y
    if y is None:
        return False
    if not isinstance(y, (Operators, *_PLAIN)):
        return _others(x)
    return raw_ops.Equal(x, y, incompatible_shape_error=False)


def _not_equal(x: TensorLike, y: TensorLike) -> Any:
    if not configuration.tensor_equality:
        return x is not y
    if y is None:
        return True
    if not isinstance(y, (Operators, *_PLAIN)):
        return _others(x)
    return raw_ops.NotEqual(x, y, incompatible_shape_error=False)


def _matmul(x: TensorLike, y: TensorLike) -> Op:
    return raw_ops.MatMul if _rank(x) == 2 == _rank(y) else raw_ops.BatchMatMulV2


def _rank(value: Any) -> int | None:
    """The rank of what may be a list with tensors in it, by its first elements."""
    if isinstance(value, Operators):
        return value.ndim
    if not isinstance(value, list | tuple):
        return np.ndim(value)
    inner = _rank(value[0]) if value else 0
    return None if inner is None else 1 + inner


class Operators:
    """The operators, for `Tensor` and `Variable` alike."""

    __slots__ = ()
    __array_priority__ = 100
    _dtype: DType

    if TYPE_CHECKING:  # what checkers may know of a tensor that has a value, as most have

        @property
        def device(self) -> str: ...
        @property
        def graph(self) -> Any: ...
        @property
        def op(self) -> Any: ...
        def numpy(self) -> np.ndarray[Any, Any]: ...
        def __int__(self) -> int: ...
        def __float__(self) -> float: ...
        def __complex__(self) -> complex: ...
        def __index__(self) -> int: ...

    @property
    def dtype(self) -> DType:
        raise NotImplementedError

    @property
    def ndim(self) -> int | None:
        raise NotImplementedError

    def __add__(self, other: TensorLike) -> Tensor:
        if self._dtype is dtypes.string:
            return _lenient(raw_ops.Add, self, other, "add")
        return _lenient(raw_ops.AddV2, self, other)

    def __radd__(self, other: TensorLike) -> Tensor:
        if self._dtype is dtypes.string:
            return binary(raw_ops.Add, other, self, other, "add")
        return binary(raw_ops.AddV2, other, self, other)

    def __sub__(self, other: TensorLike) -> Tensor:
        return binary(raw_ops.Sub, self, other, other)

    def __rsub__(self, other: TensorLike) -> Tensor:
        return binary(raw_ops.Sub, other, self, other)

    def __mul__(self, other: TensorLike) -> Tensor:
        try:
            return binary(raw_ops.Mul, self, other, other)
        except (TypeError, errors.InvalidArgumentError):
            if not _has_bool(self, other):
                raise
            return _both(self, other)

    def __rmul__(self, other: TensorLike) -> Tensor:
        try:
            return binary(raw_ops.Mul, other, self, other)
        except (TypeError, errors.InvalidArgumentError):
            if not _has_bool(other, self):
                raise
            return _both(other, self)

    def __truediv__(self, other: TensorLike) -> Tensor:
        return _divide(self, other, other)

    def __rtruediv__(self, other: TensorLike) -> Tensor:
        return _divide(other, self, other)

    __div__ = __truediv__
    __rdiv__ = __rtruediv__

    def __floordiv__(self, other: TensorLike) -> Tensor:
        return binary(raw_ops.FloorDiv, self, other, other)

    def __rfloordiv__(self, other: TensorLike) -> Tensor:
        return binary(raw_ops.FloorDiv, other, self, other)

    def __mod__(self, other: TensorLike) -> Tensor:
        return binary(raw_ops.FloorMod, self, other, other)

    def __rmod__(self, other: TensorLike) -> Tensor:
        return binary(raw_ops.FloorMod, other, self, other)

    def __pow__(self, other: TensorLike) -> Tensor:
        return binary(raw_ops.Pow, self, other, other)

    def __rpow__(self, other: TensorLike) -> Tensor:
        return binary(raw_ops.Pow, other, self, other)

    def __matmul__(self, other: TensorLike) -> Tensor:
        return _lenient(_matmul(self, other), self, other, "matmul")

    def __rmatmul__(self, other: TensorLike) -> Tensor:
        return binary(_matmul(other, self), other, self, other, "matmul")

    def __lt__(self, other: TensorLike) -> Tensor:
        return binary(raw_ops.Less, self, other, other)

    def __le__(self, other: TensorLike) -> Tensor:
        return binary(raw_ops.LessEqual, self, other, other)

    def __gt__(self, other: TensorLike) -> Tensor:
        return binary(raw_ops.Greater, self, other, other)

    def __ge__(self, other: TensorLike) -> Tensor:
        return binary(raw_ops.GreaterEqual, self, other, other)

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        return _equal(self, other)

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        return _not_equal(self, other)

    def __and__(self, other: TensorLike) -> Tensor:
        return _by_dtype(raw_ops.LogicalAnd, raw_ops.BitwiseAnd, "and", self, other, other)

    def __rand__(self, other: TensorLike) -> Tensor:
        return _by_dtype(raw_ops.LogicalAnd, raw_ops.BitwiseAnd, "and", other, self, other)

    def __or__(self, other: TensorLike) -> Tensor:
        return _by_dtype(raw_ops.LogicalOr, raw_ops.BitwiseOr, "or", self, other, other)

    def __ror__(self, other: TensorLike) -> Tensor:
        return _by_dtype(raw_ops.LogicalOr, raw_ops.BitwiseOr, "or", other, self, other)

    def __xor__(self, other: TensorLike) -> Tensor:
        return _by_dtype(raw_ops.NotEqual, raw_ops.BitwiseXor, "xor", self, other, other)

    def __rxor__(self, other: TensorLike) -> Tensor:
        return _by_dtype(raw_ops.NotEqual, raw_ops.BitwiseXor, "xor", other, self, other)

    def __neg__(self) -> Tensor:
        return raw_ops.Neg(self)

    def __abs__(self) -> Tensor:
        if self._dtype.is_complex:
            return raw_ops.ComplexAbs(self, Tout=self._dtype.real_dtype)
        return raw_ops.Abs(self)

    def __invert__(self) -> Tensor:
        return raw_ops.LogicalNot(self) if self._dtype is dtypes.bool else raw_ops.Invert(self)


OVERLOADABLE = frozenset(
    name
    for name, value in vars(Operators).items()
    if name.startswith("__") and callable(value) and name != "__hash__"
)
"""The operators, which libraries give their own classes."""
