"""Arguments of public functions that are Python values, checked where they come in."""

from __future__ import annotations

import operator
from typing import Any

from runnel.core.errors import describe_value


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
    except TypeError:
        got = describe_value(value)
        raise TypeError(f"{function}: `{argument}` must be an integer, got {got}.") from None
