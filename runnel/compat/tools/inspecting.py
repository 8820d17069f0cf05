"""`util.tf_inspect`: Python's `inspect`, which looks through decorators that say what they wrap."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from runnel.compat.tools.decorators import unwrap

ArgSpec = namedtuple("ArgSpec", ["args", "varargs", "keywords", "defaults"])


def getfullargspec(obj: Any) -> inspect.FullArgSpec:
    """The parameters of a function. Public functions have no annotations, as in TensorFlow."""
    decorators, target = unwrap(obj)
    given = next((d.decorator_argspec for d in decorators if d.decorator_argspec), None)
    if given is not None:
        return given
    found = inspect.getfullargspec(_plain(target))
    ours = str(getattr(target, "__module__", "")).startswith("runnel.")
    return found._replace(annotations={}) if ours else found


def _plain(target: Any) -> Any:
    """What Python can look into: not an object that stands for a function and its gradient."""
    return inspect.unwrap(target) if inspect.ismethoddescriptor(target) else target


def getargspec(obj: Any) -> ArgSpec:
    """The parameters of a function that has none by keyword only."""
    found = getfullargspec(obj)
    if found.kwonlyargs:
        raise ValueError(f"getargspec: {obj!r} has keyword-only parameters: use getfullargspec.")
    return ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


def getcallargs(func: Callable[..., Any], /, *positional: Any, **named: Any) -> dict[str, Any]:
    """What each parameter would be in a call."""
    return inspect.getcallargs(unwrap(func)[1], *positional, **named)


def _inner(function: Any) -> Callable[..., Any]:
    """A function of `inspect`, of what is inside the decorators."""

    def look(object: Any) -> Any:
        return function(unwrap(object)[1])

    look.__name__, look.__doc__ = function.__name__, function.__doc__
    return look


getfile, getmodule, getsource, getsourcefile, getsourcelines = map(
    _inner,
    (
        inspect.getfile,
        inspect.getmodule,
        inspect.getsource,
        inspect.getsourcefile,
        inspect.getsourcelines,
    ),
)
isbuiltin, isclass, isfunction, isgenerator, isgeneratorfunction, ismethod, isroutine = map(
    _inner,
    (
        inspect.isbuiltin,
        inspect.isclass,
        inspect.isfunction,
        inspect.isgenerator,
        inspect.isgeneratorfunction,
        inspect.ismethod,
        inspect.isroutine,
    ),
)
