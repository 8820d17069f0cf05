"""Programs whose graphs have loops and branches in pieces, as TensorFlow 1 and frozen graphs do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

X = np.array([1.0, 2.0], np.float32)


def loop(tf: Any, x: Any) -> Any:
    k = tf.constant(3.0)
    body = lambda i, a: (i + 1, a * k + tf.cast(i, tf.float32))  # noqa: E731
    return tf.while_loop(lambda i, a: i < 5, body, [0, x])


def branches(tf: Any, x: Any) -> Any:
    positive = tf.reduce_sum(x) > 0
    first = tf.cond(positive, lambda: x * 2, lambda: tf.zeros_like(x) - 1)
    return first, tf.cond(positive, lambda: tf.constant(7), lambda: tf.constant(8))


def nested(tf: Any, x: Any) -> Any:
    """A branch in a loop, with a loop in it."""

    def inner(i: Any, a: Any) -> Any:
        return tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b * 2), [0, a])[1]

    def body(i: Any, a: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: a + 1, lambda: inner(i, a))

    return tf.while_loop(lambda i, a: i < 5, body, [0, x])


def branches_in_branches(tf: Any, x: Any) -> Any:
    total = tf.reduce_sum(x)
    inner = lambda: tf.cond(total > 2, lambda: x * 10, lambda: x * 5)  # noqa: E731
    return tf.cond(total > 0, inner, lambda: -x)


def arrays(tf: Any, x: Any) -> Any:
    """A loop that reads from one array of tensors and writes to another."""
    mapped = tf.map_fn(lambda v: v * 2 + 1, x)
    return mapped, tf.scan(lambda a, v: a + v, x)


PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    f.__name__: f for f in (loop, branches, nested, branches_in_branches, arrays)
}
INPUTS = {"positive": X, "negative": -X}
