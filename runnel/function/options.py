"""The options of `tf.function`: which there are, their former names, what graphs say of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runnel.core.settings.logging import warning_first

_ATTRIBUTES = frozenset(
    "_OutputsOnOpDevice _disable_acd _implements _noinline _tf_data_function api_implements "
    "api_preferred_device disable_summaries_at_runtime experimental_ints_on_device "
    "function_runs_at_most_once go_backwards runtime_constant_optimization time_major".split()
)


def check_attributes(given: Any) -> None:
    """An error if `experimental_attributes` are none, or not of those there are."""
    if not isinstance(given, Mapping | None):
        raise TypeError(f"tf.function: `experimental_attributes` must be a dict, got {given!r}.")
    for name, value in (given or {}).items():
        if name not in _ATTRIBUTES:
            raise ValueError(f"tf.function: {name!r} is not supported as an attribute.")
        values = value if isinstance(value, list | tuple) else [value]
        if not all(isinstance(v, bool | int | float | str | bytes) for v in values):
            raise ValueError(
                f"tf.function: the attribute {name!r} must be a bool, int, float or string, or a "
                f"list of these, got {value!r}."
            )


def attributes(options: Mapping[str, Any]) -> dict[str, Any]:
    """What the messages of its graphs say of a function besides what it computes."""
    given = dict(options.get("experimental_attributes") or {})
    implemented, compiles = options.get("experimental_implements"), options.get("jit_compile")
    if implemented is not None:
        given["_implements"] = implemented
    if compiles is not None:
        given["_XlaMustCompile"] = bool(compiles)
    if compiles:
        given["_noinline"] = True
    return given


def renamed(value: Any, name: str, old: Any, old_name: str) -> Any:
    """The value of an argument that may also be given under its former name."""
    if old is None:
        return value
    warning_first(1, f"tf.function: experimental_{old_name} is deprecated, use {name} instead.")
    return value or old
