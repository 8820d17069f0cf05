"""Dimensions as objects, as shapes of TensorFlow 1 had them: `tf.compat.v1.Dimension`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import runnel as tf


class Dimension:
    """A number of elements, or None if it is not known; arithmetic with None is None.

    >>> tf.compat.v1.Dimension(3) * 2, (tf.compat.v1.Dimension(None) + 1).value
    (Dimension(6), None)
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        if isinstance(value, Dimension):
            value = value.value
        self._value: int | None = None if value is None else _whole(value)

    @property
    def value(self) -> int | None:
        """The number, or None."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both may be the same number."""
        other = Dimension(other)
        return None in (self._value, other.value) or self._value == other.value

    def assert_is_compatible_with(self, other: Any) -> None:
        """ValueError if both cannot be the same number."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible.")

    def merge_with(self, other: Any) -> Dimension:
        """What is known of a number that both are."""
        self.assert_is_compatible_with(other)
        return Dimension(other) if self._value is None else Dimension(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value!r})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __hash__(self) -> int:
        return hash(self._value)

    def __int__(self) -> int | None:  # type: ignore[override]
        return self._value

    def __index__(self) -> int | None:  # type: ignore[override]
        return self._value

    def __eq__(self, other: object) -> Any:
        return _compared(self, other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return _compared(self, other, operator.ne)

    def __lt__(self, other: Any) -> bool | None:
        return _compared(self, other, operator.lt)

    def __le__(self, other: Any) -> bool | None:
        return _compared(self, other, operator.le)

    def __gt__(self, other: Any) -> bool | None:
        return _compared(self, other, operator.gt)

    def __ge__(self, other: Any) -> bool | None:
        return _compared(self, other, operator.ge)

    def __add__(self, other: Any) -> Dimension:
        return _computed(self, other, operator.add)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dimension:
        return _computed(self, other, operator.sub)

    def __rsub__(self, other: Any) -> Dimension:
        return _computed(other, self, operator.sub)

    def __mul__(self, other: Any) -> Dimension:
        return _computed(self, other, operator.mul)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Dimension:
        return _computed(self, other, operator.floordiv)

    __div__ = __floordiv__

    def __rfloordiv__(self, other: Any) -> Dimension:
        return _computed(other, self, operator.floordiv)

    def __mod__(self, other: Any) -> Dimension:
        return _computed(self, other, operator.mod)

    def __rmod__(self, other: Any) -> Dimension:
        return _computed(other, self, operator.mod)

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and {type(other).__name__!r}, please "
            "use // instead"
        )


def _whole(value: Any) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(
            f"Dimension: the value must be an integer or None, got {value!r}."
        ) from None
    if number < 0:
        raise ValueError(f"Dimension: the value must not be negative, got {number}.")
    return number


def _computed(left: Any, right: Any, operation: Callable[[int, int], int]) -> Dimension:
    try:
        a, b = Dimension(left).value, Dimension(right).value
    except (TypeError, ValueError):
        return NotImplemented
    return Dimension(None if a is None or b is None else operation(a, b))


def _compared(left: Any, right: Any, operation: Callable[[Any, Any], bool]) -> Any:
    """None, which is neither true nor false, if one of both is not known."""
    try:
        a, b = Dimension(left).value, Dimension(right).value
    except (TypeError, ValueError):
        return NotImplemented
    return None if a is None or b is None else operation(a, b)


def dimension_value(dimension: Any) -> int | None:
    """The number of a dimension, whatever it is written as."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: tf.TensorShape, index: int) -> Dimension:
    """One dimension of a shape, as a `Dimension`."""
    return Dimension(None if shape.rank is None else shape[index])
