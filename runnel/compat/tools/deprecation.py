"""Functions and arguments that are going to be removed, and warn when they are used."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from runnel.compat.tools.decorators import make_decorator
from runnel.core.settings.logging import get_logger
from runnel.core.settings.user_code import user_line

_silent = 0
_said: set[tuple[str, str]] = set()


def _warn(what: str, date: str | None, instructions: str, once: str | None) -> None:
    """Say that something is going; `once` is what is said only the first time."""
    if _silent or (once is not None and (once, what) in _said):
        return
    if once is not None:
        _said.add((once, what))
    when = "in a future version" if date is None else f"after {date}"
    text = f"{what} is deprecated and will be removed {when}.\nWhat to do: {instructions}"
    get_logger().warning("From %s: %s", user_line(), text)


def _named(func: Any) -> str:
    return f"{getattr(func, '__qualname__', func)} (from {getattr(func, '__module__', '?')})"


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[Any], Any]:
    """Mark a function or a class that will be removed after `date`."""

    def mark(func: Any) -> Any:
        if isinstance(func, type):
            func.__init__ = mark(func.__init__)  # type: ignore[misc]
            return func

        def warning(*args: Any, **kwargs: Any) -> Any:
            _warn(_named(func), date, instructions, _named(func) if warn_once else None)
            return func(*args, **kwargs)

        wrapped = make_decorator(func, warning, "deprecated")
        doc = (func.__doc__ or "").rstrip()
        wrapped.__doc__ = f"{doc} (deprecated)\n\nWill be removed: {instructions}".strip()
        return wrapped

    return mark


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Callable[[Any], Any]:
    """Mark arguments that will be removed: names, or pairs of a name and a value that is fine."""
    once = kwargs.pop("warn_once", True)
    if kwargs:
        raise TypeError(f"deprecated_args: unknown arguments {sorted(kwargs)}")
    if not deprecated_arg_names_or_tuples:
        raise ValueError("deprecated_args: which arguments are deprecated is not said")
    fine = dict(_as_pair(entry) for entry in deprecated_arg_names_or_tuples)

    def is_used(name: str, value: Any) -> bool:
        return name in fine and (fine[name] is _NONE or value is not fine[name])

    return _marking(date, instructions, is_used, lambda name, value: name, once)


_NONE = object()


def _as_pair(entry: Any) -> tuple[str, Any]:
    return (entry, _NONE) if isinstance(entry, str) else (entry[0], entry[1])


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[Any], Any]:
    """Mark values of arguments that will be removed."""
    if not deprecated_kwargs:
        raise ValueError("deprecated_arg_values: which values are deprecated is not said")

    def is_used(name: str, value: Any) -> bool:
        return name in deprecated_kwargs and value == deprecated_kwargs[name]

    def told(name: str, value: Any) -> str:
        return f"{name}={value}"

    return _marking(date, instructions, is_used, told, warn_once)


def _marking(
    date: str | None,
    instructions: str,
    is_used: Callable[[str, Any], bool],
    told: Callable[[str, Any], str],
    once: bool,
) -> Callable[[Any], Any]:
    def mark(func: Any) -> Any:
        signature = inspect.signature(func)

        @functools.wraps(func)
        def warning(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind_partial(*args, **kwargs).arguments
            for name, value in given.items():
                if is_used(name, value):
                    what = f"calling {_named(func)} with {told(name, value)}"
                    _warn(what, date, instructions, _named(func) if once else None)
            return func(*args, **kwargs)

        return make_decorator(func, warning, "deprecated_args")

    return mark


def deprecated_endpoints(*args: str) -> Callable[[Any], Any]:
    """Note the names under which a function will no longer be found."""

    def mark(func: Any) -> Any:
        if "_tf_deprecated_api_names" in getattr(func, "__dict__", {}):
            raise ValueError(f"{_named(func)} has deprecated names already.")
        func._tf_deprecated_api_names = args
        return func

    return mark


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True
) -> Any:
    """`func_or_class` under an old name, which warns."""
    made: Any
    if isinstance(func_or_class, type):
        made = type(func_or_class.__name__, (func_or_class,), {"__doc__": func_or_class.__doc__})
    else:
        made = functools.wraps(func_or_class)(
            lambda *args, **kwargs: func_or_class(*args, **kwargs)
        )
    made.__qualname__ = deprecated_name
    return deprecated(None, f"Use {name} instead.", warn_once)(made)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Say nothing of deprecations meanwhile."""
    global _silent
    _silent += 1
    try:
        yield
    finally:
        _silent -= 1
