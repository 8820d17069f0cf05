"""Arguments of public functions that are Python values, checked where they come in."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from runnel.core.errors import ResourceExhaustedError, describe_value


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
    """ResourceExhaustedError for a shape, of elements of `size` bytes, that no memory holds."""
    if math.prod(dims) * size >> 46:
        raise ResourceExhaustedError(
            None, None, f"{function}: the result must fit into memory, got the shape {list(dims)}."
        )
