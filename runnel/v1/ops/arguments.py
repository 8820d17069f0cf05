"""Arguments that have two names, of which one is older."""

from __future__ import annotations

from typing import Any


def either(function: str, new: str, value: Any, old: str, older: Any) -> Any:
    """The argument that was given, by its new or its old name; both at once is a mistake."""
    if older is None:
        return value
    if value is not None:
        raise ValueError(f"{function}: give `{new}` or `{old}`, not both.")
    return older
