"""Assertions, which in TensorFlow 1 also take what they are to show: `data`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import runnel as tf
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.v1.ops.arguments import either

Assertion = Callable[..., Any]


def _of_two(new: Assertion, holds: Assertion) -> Assertion:
    def check(
        x: TensorLike,
        y: TensorLike,
        data: Sequence[TensorLike] | None = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        if data is None:
            return new(x, y, message=message, summarize=summarize, name=name)
        with tf.name_scope(name or new.__name__):
            return _shown(holds(x, y), message, data, summarize)

    return _named(check, new)


def _of_one(new: Assertion, holds: Assertion) -> Assertion:
    def check(
        x: TensorLike,
        data: Sequence[TensorLike] | None = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        if data is None:
            return new(x, message=message, summarize=summarize, name=name)
        with tf.name_scope(name or new.__name__):
            return _shown(holds(x, tf.zeros_like(x)), message, data, summarize)

    return _named(check, new)


def _shown(
    holds: tf.Tensor, message: str | None, data: Sequence[Any], summarize: int | None
) -> Any:
    shown = [*([] if message is None else [message]), *data]
    return tf.Assert(tf.reduce_all(holds), shown, summarize)


def _named(check: Assertion, new: Assertion) -> Assertion:
    check.__name__ = check.__qualname__ = new.__name__
    check.__doc__ = f"{new.__doc__}".split("\n")[0] + "\n\n    `data` is shown if it does not hold."
    return check


assert_equal = _of_two(tf.assert_equal, tf.equal)
assert_none_equal = _of_two(tf.debugging.assert_none_equal, tf.not_equal)
assert_less = _of_two(tf.assert_less, tf.less)
assert_less_equal = _of_two(tf.debugging.assert_less_equal, tf.less_equal)
assert_greater = _of_two(tf.assert_greater, tf.greater)
assert_greater_equal = _of_two(tf.debugging.assert_greater_equal, tf.greater_equal)
assert_negative = _of_one(tf.debugging.assert_negative, tf.less)
assert_positive = _of_one(tf.debugging.assert_positive, tf.greater)
assert_non_negative = _of_one(tf.debugging.assert_non_negative, tf.greater_equal)
assert_non_positive = _of_one(tf.debugging.assert_non_positive, tf.less_equal)


def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x` and `y` are nearly equal."""
    if data is None:
        return tf.debugging.assert_near(x, y, rtol, atol, message, summarize, name)
    x = tf.convert_to_tensor(x)
    y = tf.convert_to_tensor(y, x.dtype)
    eps = 10 * np.finfo(x.dtype.as_numpy_dtype).eps
    rtol = tf.convert_to_tensor(eps if rtol is None else rtol, x.dtype)
    atol = tf.convert_to_tensor(eps if atol is None else atol, x.dtype)
    with tf.name_scope(name or "assert_near"):
        holds = tf.less(abs(x - y), atol + rtol * abs(y))
        return _shown(holds, message, data, summarize)


def assert_rank(
    x: TensorLike,
    rank: Any,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raise ValueError, or InvalidArgumentError in the run, unless `x` has so many dimensions."""
    return tf.assert_rank(x, rank, _with(message, data), name)


def assert_rank_at_least(
    x: TensorLike,
    rank: Any,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raise ValueError, or InvalidArgumentError in the run, if `x` has fewer dimensions."""
    return tf.debugging.assert_rank_at_least(x, rank, _with(message, data), name)


def assert_rank_in(
    x: TensorLike,
    ranks: Sequence[Any],
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raise ValueError, or InvalidArgumentError in the run, unless the rank is one of `ranks`."""
    return tf.debugging.assert_rank_in(x, ranks, _with(message, data), name)


def _with(message: str | None, data: Sequence[Any] | None) -> str | None:
    """The message of an assertion about ranks, which are known before values are."""
    parts = [] if message is None else [message]
    parts += [value for value in data or () if isinstance(value, str)]
    return " ".join(parts) or None


def assert_scalar(tensor: TensorLike, name: str | None = None, message: str | None = None) -> Any:
    """Raise ValueError unless a tensor has no dimensions."""
    tf.debugging.assert_scalar(tensor, message, name)
    return tf.convert_to_tensor(tensor)


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> Any:
    """Raise TypeError unless a tensor is of integers."""
    tf.debugging.assert_integer(x, message, name)
    return tf.no_op(name="statically_determined_was_integer")


def assert_type(
    tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None
) -> Any:
    """Raise TypeError unless a tensor has a dtype."""
    tf.debugging.assert_type(tensor, tf_type, message, name)
    return tf.no_op(name="statically_determined_correct_type")


def verify_tensor_all_finite(
    t: TensorLike = None,
    msg: str | None = None,
    name: str | None = None,
    x: TensorLike = None,
    message: str | None = None,
) -> tf.Tensor:
    """`x`, once it is known that all its elements are finite numbers."""
    x = either("verify_tensor_all_finite", "x", x, "t", t)
    message = either("verify_tensor_all_finite", "message", message, "msg", msg)
    with tf.name_scope(name or "VerifyFinite"):
        x = tf.convert_to_tensor(x)
        with tf.control_dependencies([tf.debugging.check_numerics(x, message)]):
            return tf.identity(x)
