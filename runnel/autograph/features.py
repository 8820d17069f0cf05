"""`tf.autograph.experimental.Feature`: what TensorFlow converts only where it is asked to.

Here assertions, lists, comparisons and most of Python's functions on tensors are always converted.
The others are looked up by converted code while it runs: `using` says which are wanted.
"""

from __future__ import annotations

import enum
import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from runnel.autograph.branches import read
from runnel.autograph.items import is_symbolic
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import name_scope
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.ops.control.python_functions import py_function


class Feature(enum.Enum):
    """Conversions that are optional: see the members that change something here.

    `NAME_SCOPES` puts the operations of each converted function into a scope of its name,
    `AUTO_CONTROL_DEPS` gives each of its results an operation of its own there, and
    `BUILTIN_FUNCTIONS` has `print` print the values of tensors whenever the graph runs. What the
    other members name is always converted.
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """Every feature."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Any) -> tuple[Feature, ...]:
        """Every feature but one, or but those of a list."""
        excluded = exclude if isinstance(exclude, list | tuple | set) else (exclude,)
        return tuple(set(cls) - {*excluded, cls.ALL})


def chosen(features: Any, argument: str = "experimental_optional_features") -> frozenset[Feature]:
    """The features that are asked for; TypeError unless all are features, or None."""
    listed = features if isinstance(features, list | tuple | set | frozenset) else [features]
    wrong = [f for f in listed if f is not None and not isinstance(f, Feature)]
    if wrong:
        raise TypeError(f"{argument} must be of tf.autograph.experimental.Feature, got {wrong}.")
    found = frozenset(listed) - {None}
    return frozenset(Feature) if Feature.ALL in found else found


class Status(enum.Enum):
    """Whether functions are converted that Python code calls by itself."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class ControlStatusCtx:
    """What holds of conversion at some place of a program; it may be entered elsewhere."""

    def __init__(self, status: Status, options: Any = None) -> None:
        self.status = status
        self.options = options
        self._outer: list[Status] = []

    def __enter__(self) -> ControlStatusCtx:
        self._outer.append(_wanted.status)
        _wanted.status = self.status
        return self

    def __exit__(self, *error: Any) -> None:
        _wanted.status = self._outer.pop()

    def __repr__(self) -> str:
        return f"ControlStatusCtx[{self.status.name}]"


def control_status_ctx() -> ControlStatusCtx:
    """What holds here: functions are converted, are left alone, or nobody has said."""
    return ControlStatusCtx(_wanted.status)


class _Wanted(threading.local):
    """The features of the function that is traced on this thread."""

    features: frozenset[Feature] = frozenset()
    status = Status.UNSPECIFIED


_wanted = _Wanted()


@contextmanager
def using(features: frozenset[Feature]) -> Iterator[None]:
    """Inside, converted code has these features and no others."""
    outer, _wanted.features = _wanted.features, features
    try:
        yield
    finally:
        _wanted.features = outer


def entered(function: Callable[..., Any]) -> Callable[..., Any]:
    """A converted function with what the features ask for around its body; lambdas stay bare."""
    features = _wanted.features
    named = getattr(function, "__name__", "<lambda>") != "<lambda>"
    if not features or not named or not hasattr(function, "autograph_original"):
        return function

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with _scope(function) if Feature.NAME_SCOPES in features else nullcontext():
            result = function(*args, **kwargs)
            return _again(result) if Feature.AUTO_CONTROL_DEPS in features else result

    return run


def _scope(function: Callable[..., Any]) -> Any:
    """A scope of the function's name; no scope of a graph begins with an underscore."""
    name = function.__name__
    return name_scope(f"fn{name}" if name.startswith("_") else name)


def _again(result: Any) -> Any:
    """What a function returns, each tensor as the output of an operation made at its end."""
    if state.graph is None:
        return result
    return nest.map_structure(lambda x: raw_ops.Identity(x) if isinstance(x, Tensor) else x, result)


def print_(*values: Any, **options: Any) -> None:
    """`print`, which with `BUILTIN_FUNCTIONS` prints what tensors are when the graph runs."""
    values = tuple(read(value) for value in values)
    symbolic = [place for place, value in enumerate(values) if is_symbolic(value)]
    if not symbolic or Feature.BUILTIN_FUNCTIONS not in _wanted.features:
        print(*values, **options)
        return

    def show(*tensors: Any) -> None:
        shown = list(values)
        for place, tensor in zip(symbolic, tensors, strict=True):
            array = tensor.numpy()
            shown[place] = array.decode() if isinstance(array, bytes) else array
        print(*shown, **options)
        (options.get("file") or sys.stdout).flush()

    py_function(show, [values[place] for place in symbolic], [])
