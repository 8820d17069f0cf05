"""Gradients by what a result does not depend on: zeros or None, as TensorFlow answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import runnel as tf

V = tf.Variable([3.0, 4.0])


def apart(x: Any, y: Any) -> Any:
    return x * 2.0, y * 3.0


def unused_variable(x: Any, y: Any) -> Any:
    V.read_value()
    return x * 2.0


def stopped(x: Any, y: Any) -> Any:
    return x * 2.0, tf.stop_gradient(y)


def integer(x: Any, y: Any) -> Any:
    return x * 2.0, tf.cast(y, tf.int32)


def sources() -> list[Any]:
    return [tf.constant(2.0), tf.constant(5.0), V]


ZERO: Any = [2.0, 0.0, None]
NONE: Any = [2.0, None, None]
# What each function returns, and the gradient of the first result by x, y and V.
CASES: dict[str, tuple[Callable[..., Any], Any]] = {
    "each of two results depends on one argument": (apart, ZERO),
    "the only result does not depend on an argument": (lambda x, y: x * 2.0, NONE),
    "another result stops its gradient": (stopped, NONE),
    "another result is an integer": (integer, NONE),
    "a variable is read for nothing": (unused_variable, NONE),
    "another result is a constant": (lambda x, y: (x * 2.0, tf.constant(1.0)), NONE),
    "another result depends on a variable": (lambda x, y: (x * 2.0, V), [2.0, None, [0.0, 0.0]]),
    "only another result depends on anything": (
        lambda x, y: (tf.constant(1.0), x),
        [0, None, None],
    ),
    "nothing depends on anything": (lambda x, y: tf.constant(1.0), [None] * 3),
    "both depend on both": (lambda x, y: (x * y, x + y), [5.0, 2.0, None]),
}


def plain(found: Any) -> Any:
    return [None if g is None else tf.convert_to_tensor(g).numpy().tolist() for g in found]


def first_gradient(fn: Any, x: Any, y: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        target = tf.nest.flatten(fn(x, y))[0]
    return tape.gradient(target, [x, y, V])


@pytest.mark.parametrize("case", CASES)
def test_a_called_function_gives_zeros_where_another_result_is_connected(case: str) -> None:
    fn, want = CASES[case]
    called = tf.function(fn)
    for _ in range(3):
        assert plain(first_gradient(called, *sources()[:2])) == want


@pytest.mark.parametrize("case", CASES)
def test_so_does_a_function_that_is_called_in_another(case: str) -> None:
    fn, want = CASES[case]
    called = tf.function(fn)
    outer = tf.function(lambda x, y: first_gradient(called, x, y))
    inside = tf.function(lambda x, y: tf.nest.flatten(called(x, y))[0])
    for _ in range(3):
        assert plain(outer(*sources()[:2])) == want
        assert plain(first_gradient(inside, *sources()[:2])) == want


def test_tf_gradients_knows_calls_too() -> None:
    called = tf.function(apart)

    @tf.function
    def found(x: Any, y: Any) -> Any:
        return tf.gradients(called(x, y)[0], [x, y])

    assert plain(found(*sources()[:2])) == ZERO[:2]


def test_a_call_in_a_loop_gives_zeros_of_unknown_sizes() -> None:
    called = tf.function(apart)

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    def repeated(x: Any, y: Any) -> Any:
        for _ in tf.range(3):
            x, _ = called(x, y)
        return x

    x, y = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])
    assert plain(first_gradient(repeated, x, y)) == [[8.0, 8.0], [0.0, 0.0, 0.0], None]


def test_second_order_gradients_are_zeros_where_first_order_ones_are_connected() -> None:
    called = tf.function(lambda x, y: x * x + y * y)
    x, y = sources()[:2]
    with tf.GradientTape() as outer:
        outer.watch([x, y])
        with tf.GradientTape() as inner:
            inner.watch([x, y])
            target = called(x, y)
        by_x = inner.gradient(target, [x, y])[0]
    assert plain(outer.gradient(by_x, [x, y])) == [2.0, 0.0]


def branches(x: Any, y: Any) -> Any:
    return tf.cond(x > 0, lambda: (x * 2.0, y * 3.0), lambda: (x, y))


def switched(x: Any, y: Any) -> Any:
    return tf.switch_case(tf.cast(x, tf.int32), [lambda: (x, V)] * 2 + [lambda: (x * 2.0, V)])


def looped(x: Any, y: Any) -> Any:
    return tf.while_loop(lambda a, b: a < 4.0, lambda a, b: (a * 2.0, b * y), (x, y))


def captured(x: Any, y: Any) -> Any:
    return tf.while_loop(lambda a: a < y - 1.0, lambda a: (a * 2.0,), (x,))


def looped_variable(x: Any, y: Any) -> Any:
    return tf.while_loop(lambda a, b: a < 4.0, lambda a, b: (a * 2.0, b * V), (x, V * 1.0))


CONTROL = {
    branches: ZERO,
    switched: [2.0, None, [0.0, 0.0]],
    looped: ZERO,
    captured: ZERO,
    looped_variable: [2.0, None, [0.0, 0.0]],
}


@pytest.mark.parametrize("fn", CONTROL)
def test_branches_and_loops_of_graphs_give_zeros_too(fn: Callable[..., Any]) -> None:
    inside = tf.function(lambda x, y: first_gradient(fn, x, y))
    for _ in range(3):
        assert plain(inside(*sources()[:2])) == CONTROL[fn]
    outside = tf.function(lambda x, y: fn(x, y)[0])
    assert plain(first_gradient(outside, *sources()[:2])) == CONTROL[fn]
