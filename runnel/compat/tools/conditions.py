"""A branch that is taken at once if its predicate is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runnel


def smart_constant_value(pred: Any) -> bool | None:
    """The value of a predicate, None if only a run will tell."""
    if isinstance(pred, runnel.Tensor):
        value = runnel.get_static_value(pred)
        return None if value is None else bool(value)
    if pred in (0, 1):
        return bool(pred)
    raise TypeError(f"smart_constant_value: `pred` must be a tensor, a bool, 0 or 1, got {pred!r}")


def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """`tf.cond`, but for a predicate that is known only its branch is called."""
    for argument, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"smart_cond: `{argument}` must be callable, got {function!r}")
    known = smart_constant_value(pred)
    if known is None:
        return runnel.cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()  # type: ignore[misc]
