"""`tf.raw_ops`: every declared op as a function of keywords."""

from __future__ import annotations

import functools
import inspect
import re
from collections import namedtuple
from itertools import islice
from typing import TYPE_CHECKING, Any

from runnel.core.op import raw

if TYPE_CHECKING:
    from runnel.core.op.op import Op


class PublicOps:
    """The ops as functions of keywords alone, which is how programs call them.

    >>> tf.raw_ops.AddV2(x=[1, 2], y=[3, 4]).numpy()
    array([4, 6], dtype=int32)
    """

    def __getattr__(self, name: str) -> Any:
        made = _by_keywords(getattr(raw.raw_ops, name))
        setattr(self, name, made)
        return made

    def __dir__(self) -> list[str]:
        return dir(raw.raw_ops)


raw_ops = PublicOps()


def _by_keywords(op: Op) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise TypeError(
                f"tf.raw_ops.{op.name} takes keywords only: {call.__signature__}; "  # type: ignore[attr-defined]
                f"got {len(args)} positional arguments."
            )
        return _grouped(op, kwargs) if _has_list_among_outputs(op) else op(**kwargs)

    call.__name__ = call.__qualname__ = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", op.name).lower()
    call.__doc__ = f"The op {op.name}, as graphs have it."
    call.__signature__ = _signature(op)  # type: ignore[attr-defined]
    call.op = op  # type: ignore[attr-defined]
    return call


def _has_list_among_outputs(op: Op) -> bool:
    return len(op.outputs) > 1 and any(arg.is_list for arg in op.outputs)


def _grouped(op: Op, kwargs: dict[str, Any]) -> Any:
    """The outputs under their names, those of a list in a list; the op itself gives them flat."""
    given = op(**kwargs)
    if not isinstance(given, list):  # an operation of a graph
        return given
    inputs, attrs = op.bind((), {key: kwargs[key] for key in kwargs.keys() - {"name"}})
    if op.has_lists:
        attrs = op.flatten(inputs, attrs)[1]
    parts = iter(given)
    made = [
        list(islice(parts, op.count(arg, attrs))) if arg.is_list else next(parts)
        for arg in op.outputs
    ]
    return _named(op)(*made)


@functools.cache
def _named(op: Op) -> Any:
    return namedtuple(op.name, [arg.name for arg in op.outputs], rename=True)


def _signature(op: Op) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    needed = [*(arg.name for arg in op.inputs), *op.required]
    given = {**op.defaults, "name": None}
    return inspect.Signature(
        [
            *(inspect.Parameter(name, kind) for name in needed),
            *(inspect.Parameter(name, kind, default=value) for name, value in given.items()),
        ]
    )
