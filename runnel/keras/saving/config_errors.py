"""Configs that say something impossible: a ValueError that tells what and where."""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_SYMPTOMS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    StopIteration,
)
_READERS = ("runnel.", "copy", "functools", "importlib", "inspect", "json", "numpy", "reprlib")


def reads_config(read: _Function) -> _Function:
    """Decorator: errors by which damage of a config shows itself are reported as such.

    Errors in code of users, such as the constructors of their layers, are not touched.
    """

    @functools.wraps(read)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return read(*args, **kwargs)
        except _SYMPTOMS as error:
            if not _module_of(error.__traceback__).startswith(_READERS):
                raise
            raise ValueError(_explained(args, kwargs, error)) from error

    return call  # type: ignore[return-value]


def _module_of(place: TracebackType | None) -> str:
    """The name of the module in which an error arose."""
    name = ""
    while place is not None:
        name, place = place.tb_frame.f_globals.get("__name__", ""), place.tb_next
    return name


def _explained(args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> str:
    kinds = [arg.__name__ for arg in args[:1] if isinstance(arg, type)]
    given = [*args[len(kinds) :], *kwargs.values()]
    of = f"{kinds[0]} cannot be made of its config" if kinds else "The config cannot be read"
    why = f"{type(error).__name__}: {error}"
    if isinstance(error, KeyError):
        why = f"the key {error} is missing, or names what is not there"
    elif isinstance(error, RecursionError):
        return f"{of}: it has too many levels."
    shown = reprlib.repr(given[0]) if given else "nothing"
    return f"{of}: {why}. Got {shown}"


def checked_config(config: Any, /, **kinds: type | tuple[type, ...]) -> Any:
    """A config in which some keys must be there, with values of some types."""
    if not isinstance(config, dict):
        raise ValueError(f"A config must be a dict, got {reprlib.repr(config)}")
    for key, kind in kinds.items():
        if key not in config:
            raise ValueError(f"The config lacks the key {key!r}: {reprlib.repr(config)}")
        if not isinstance(config[key], kind):
            names = " or ".join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))
            raise ValueError(
                f"{key!r} of a config must be a {names}, got {reprlib.repr(config[key])}"
            )
    return config
