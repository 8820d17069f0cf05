"""Gradients of gradients inside one function, and gradient functions that look outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import runnel as tf

_ONE = tf.constant(1)


def _square(v: tf.Variable) -> Callable[[Any], Any]:
    return lambda x: x * v


def _with_gradient_function(v: tf.Variable) -> Callable[[Any], Any]:
    @tf.custom_gradient
    def product(x: Any) -> Any:
        def gradient(dy: Any, variables: Any = None) -> Any:
            return dy * v, [dy * x]

        return x * v, gradient

    return product


def _loop(f: Callable[[Any], Any], x: Any) -> Any:
    body = lambda i, a: (i + 1, f(a) * 0.5 * a)  # noqa: E731
    return tf.while_loop(lambda i, a: i < 3, body, [0, x])[1]


def _choice(f: Callable[[Any], Any], x: Any) -> Any:
    return tf.cond(x > 0.0, lambda: f(x) * 0.5 * x, lambda: x)


def _second(run: Callable[[Any], Any], v: tf.Variable) -> Callable[[Any], Any]:
    def derivatives(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = run(x)
            dx = inner.gradient(y, x)
        return dx, *outer.gradient(dx, [x, v])

    return derivatives


@pytest.mark.parametrize("inside", [_square, _with_gradient_function])
@pytest.mark.parametrize(
    ("run", "want"), [(_loop, [17496.0, 61236.0, 40824.0]), (_choice, [6.0, 3.0, 2.0])]
)
def test_second_derivatives_in_one_graph_are_those_of_eager_mode(
    inside: Callable[[Any], Any], run: Callable[..., Any], want: list[float]
) -> None:
    v = tf.Variable(3.0)
    f = inside(v)
    once = _second(lambda x: run(f, x), v)
    nested = _second(tf.function(lambda x: run(f, x)), v)
    for derivatives in (once, tf.function(once), nested, tf.function(nested)):
        assert [d.numpy() for d in derivatives(tf.constant(2.0))] == want


def _looking_outside() -> tuple[Callable[[Any], Any], tf.Variable]:
    v, w, k = tf.Variable(3.0), tf.Variable(5.0), tf.constant([1.0, 2.0])

    @tf.custom_gradient
    def product(x: Any) -> Any:
        def gradient(dy: Any, variables: Any = None) -> Any:
            return dy * v * 2.0 * tf.reduce_sum(k), [dy * x * 7.0 * w]

        return x * v, gradient

    return product, v


@pytest.mark.parametrize(
    "call",
    [
        lambda f, x: f(x),
        lambda f, x: tf.function(f)(x),
        lambda f, x: tf.function(lambda z: tf.function(f)(z))(x),
        lambda f, x: tf.function(lambda z: tf.cond(z > 0.0, lambda: f(z), lambda: z))(x),
        lambda f, x: tf.function(lambda z: tf.switch_case(_ONE, [lambda: z, lambda: f(z)]))(x),
        lambda f, x: tf.function(lambda z: tf.map_fn(f, z[None])[0])(x),
    ],
    ids=["plain", "function", "nested", "cond", "switch_case", "map_fn"],
)
def test_a_gradient_function_may_use_what_its_function_did_not(call: Callable[..., Any]) -> None:
    f, v = _looking_outside()

    def derivatives(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(f, x)
        return tape.gradient(y, [x, v])

    for run in (derivatives, tf.function(derivatives)):
        assert [d.numpy() for d in run(tf.constant(2.0))] == [18.0, 70.0]
