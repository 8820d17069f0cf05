"""`Dimension`: one size of a shape as an object, as TensorFlow 1 had them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any


class Dimension:
    """One entry of `TensorShape.dims`: a size, or None if it is not known.

    Arithmetic with an unknown size is unknown, and so (None) is a comparison with one.

    >>> tf.TensorShape([2, None]).dims
    [Dimension(2), Dimension(None)]
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = size_of(value)

    @property
    def value(self) -> int | None:
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both can be the same size."""
        return may_be_same(self._value, size_of(other))

    def assert_is_compatible_with(self, other: Any) -> None:
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """The size that both agree on."""
        self.assert_is_compatible_with(other)
        return Dimension(other) if self._value is None else Dimension(self._value)

    def _with(self, other: Any, function: Callable[[Any, Any], Any], *, swap: bool = False) -> Any:
        try:
            mine, its = self._value, size_of(other)
        except (TypeError, ValueError):
            return NotImplemented
        if mine is None or its is None:
            return None
        return function(its, mine) if swap else function(mine, its)

    def _sized(self, other: Any, function: Callable[[Any, Any], Any], *, swap: bool = False) -> Any:
        result = self._with(other, function, swap=swap)
        return result if result is NotImplemented else Dimension(result)

    def __add__(self, other: Any) -> Any:
        return self._sized(other, operator.add)

    def __sub__(self, other: Any) -> Any:
        return self._sized(other, operator.sub)

    def __mul__(self, other: Any) -> Any:
        return self._sized(other, operator.mul)

    def __floordiv__(self, other: Any) -> Any:
        return self._sized(other, operator.floordiv)

    def __mod__(self, other: Any) -> Any:
        return self._sized(other, operator.mod)

    def __radd__(self, other: Any) -> Any:
        return self._sized(other, operator.add, swap=True)

    def __rsub__(self, other: Any) -> Any:
        return self._sized(other, operator.sub, swap=True)

    def __rmul__(self, other: Any) -> Any:
        return self._sized(other, operator.mul, swap=True)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._sized(other, operator.floordiv, swap=True)

    def __rmod__(self, other: Any) -> Any:
        return self._sized(other, operator.mod, swap=True)

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(
            f"Dimensions are divided by //, not by /: {self!r} / {other!r} would be a fraction."
        )

    __div__ = __floordiv__

    def __eq__(self, other: object) -> Any:
        return self._with(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._with(other, operator.ne)

    def __lt__(self, other: Any) -> Any:
        return self._with(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._with(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._with(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._with(other, operator.ge)

    def __hash__(self) -> int:
        return hash(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> int:
        return operator.index(self)

    def __index__(self) -> int:
        if self._value is None:
            raise TypeError("Dimension(None) is of unknown size and has no integer value")
        return self._value

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __reduce__(self) -> tuple[type[Dimension], tuple[int | None]]:
        return Dimension, (self._value,)


def size_of(value: Any) -> int | None:
    """The number that a dimension is written as."""
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value._value
    try:
        size = int(operator.index(value))
    except (TypeError, AttributeError):  # the latter from tensors
        kind = type(value).__name__
        raise TypeError(f"A dimension must be an integer or None, got {value!r} ({kind})") from None
    if size < 0:
        raise ValueError(f"A dimension must be 0 or more, or None if not known, got {size}")
    return size


def may_be_same(a: int | None, b: int | None) -> bool:
    """Whether two sizes, of which either may be unknown, can be one."""
    return a is None or b is None or a == b


def dimension_value(dimension: Any) -> int | None:
    """A dimension of a shape as a number, whatever it is written as."""
    return getattr(dimension, "value", dimension)  # type: ignore[no-any-return]


def dimension_at_index(shape: Any, index: int) -> Dimension:
    """One dimension of a shape, as an object."""
    return Dimension(None) if shape.rank is None else shape.dims[index]
