"""The functions of `tf.autograph`: what a function is converted to, and how to prevent it."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from runnel.autograph.calls import converted_call
from runnel.autograph.conversion import convert, converted_tree
from runnel.autograph.convert.source import SourceError, definition
from runnel.autograph.features import ControlStatusCtx, Status, chosen, entered, using


class ConversionError(Exception):
    """AutoGraph cannot convert what it was given."""


def _function_of(entity: Any) -> Any:
    if inspect.ismethod(entity):
        return entity.__func__
    if not inspect.isfunction(entity):
        raise ConversionError(
            f"AutoGraph converts Python functions, got {entity!r}. Of a tf.function, take its "
            "python_function."
        )
    return entity


@contextmanager
def _conversion_of(entity: Any) -> Iterator[None]:
    try:
        yield
    except SourceError as error:
        raise ConversionError(f"converting {entity!r}: {error}") from None


def _name_of(function: Any) -> str:
    return f"tf__{function.__name__}".replace("<lambda>", "lambda")


def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The source of the function that AutoGraph makes of `entity`.

    With `recursive`, calls in it convert what they call. Optional features do not change it: they
    are looked up when it runs.

    >>> def f(x):
    ...     if x > 0:
    ...         x = -x
    ...     return x
    >>> print(tf.autograph.to_code(f))  # doctest: +ELLIPSIS
    def tf__f(x):
    ...
    """
    chosen(experimental_optional_features)
    function = _function_of(entity)
    with _conversion_of(entity):
        found = converted_tree(function, recursive)
    if found is None:
        return inspect.getsource(function)
    found[0].name = _name_of(function)
    return ast.unparse(found[0]) + "\n"


def to_graph(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> Callable[..., Any]:
    """A function like `entity` whose control flow works on tensors while a graph is built.

    With `recursive`, what it calls is converted too, with the same optional features. Of a method
    it is the function that takes the object too.

    >>> absolute = tf.autograph.to_graph(lambda x: x if x > 0 else -x)
    >>> tf.function(absolute, autograph=False)(tf.constant(-2)).numpy()
    np.int32(2)
    """
    features = chosen(experimental_optional_features)
    function = _function_of(entity)
    with _conversion_of(entity):
        definition(function)  # what has no source would be left alone
    made = convert(function, recursive)
    if features:
        made = _with_features(made, features)
    if made is not function:
        made.__name__ = _name_of(function)
    return made


def _with_features(function: Any, features: frozenset[Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with using(features):
            return entered(function)(*args, **kwargs)

    return run


def do_not_convert(func: Any = None) -> Any:
    """Decorator: AutoGraph leaves the function, and what it calls, as it is.

    >>> @tf.autograph.experimental.do_not_convert
    ... def f(x):
    ...     return x
    >>> f(1)
    1
    """
    if func is None:
        return do_not_convert
    if isinstance(func, type) or not callable(func):
        return func

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        with ControlStatusCtx(Status.DISABLED):
            return func(*args, **kwargs)

    run.autograph_left_alone = True  # type: ignore[attr-defined]
    return run


def tf_convert(
    f: Any, ctx: Any = None, convert_by_default: bool = True, user_requested: bool = False
) -> Any:
    """`f` converted, unless `ctx` says that functions are left alone where it comes from.

    Where nobody has said, `convert_by_default` decides. What a user asks for, `user_requested`, is
    converted as anything else.
    """
    status = Status.ENABLED if ctx is None else ctx.status
    if status is Status.DISABLED or (status is Status.UNSPECIFIED and not convert_by_default):
        return f
    return converted_call(f)
