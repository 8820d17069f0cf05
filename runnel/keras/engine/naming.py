"""Names of layers: `dense`, `dense_1`, … counted in each graph, and outside of graphs."""

from __future__ import annotations

import difflib
import inspect
import re
import weakref
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import runnel as tf

_counts: weakref.WeakKeyDictionary[Any, dict[Any, int]] = weakref.WeakKeyDictionary()
_on_reset: list[Callable[[], None]] = []


class _Outside:
    """Stands for no graph."""


_OUTSIDE = _Outside()


def _next(graph: Any, key: Any) -> int:
    counts = _counts.setdefault(_OUTSIDE if graph is None else graph, defaultdict(int))
    counts[key] += 1
    return counts[key]


def get_uid(prefix: str = "") -> int:
    """The next number for `prefix`, from 1.

    >>> tf.keras.backend.clear_session()
    >>> tf.keras.backend.get_uid("dense"), tf.keras.backend.get_uid("dense")
    (1, 2)
    """
    return _next(None if tf.executing_eagerly() else tf.__internal__.innermost_graph(), prefix)


def reset_uids() -> None:
    """Begin to count again."""
    _counts.clear()


def when_cleared(reset: Callable[[], None]) -> None:
    """Have `reset` called by `clear_session`."""
    _on_reset.append(reset)


def clear_session() -> None:
    """Forget the names given so far and other state shared by all models."""
    reset_uids()
    for reset in _on_reset:
        reset()


def unique_name(base: str, zero_based: bool = True) -> str:
    """A name that begins with `base` and was not given to a layer before.

    Layers made in a trial call or a trace, also inside its `init_scope`, are counted there.
    """
    number = _next(tf.__internal__.innermost_graph(), ("name", base)) - zero_based
    return f"{base}_{number}" if number else base


def snake_case(name: str) -> str:
    """`MaxPooling2D` as `max_pooling2d`.

    >>> snake_case("ConvLSTM2D"), snake_case("Conv2DTranspose")
    ('conv_lstm2d', 'conv2d_transpose')
    """
    parts = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    snake = re.sub(r"([a-z])([A-Z])", r"\1_\2", parts).lower()
    return "private" + snake if snake.startswith("_") else snake


def argument_hint(name: str, kind: type) -> str:
    """A sentence about the argument that was perhaps meant, for errors about an unknown one."""
    constructors = [vars(c)["__init__"] for c in kind.__mro__ if "__init__" in vars(c)]
    known = {n for each in constructors for n in inspect.signature(each).parameters}
    near = difflib.get_close_matches(name, known - {"self", "args", "kwargs"}, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
