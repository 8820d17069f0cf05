"""Python functions as ops: what they get and give, their errors and gradients."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.ops.control import python_functions

x = tf.constant(2.0)


def _raise(error: Exception) -> Any:
    raise error


ERRORS = [
    (ValueError("v"), tf.errors.InvalidArgumentError),
    (TypeError("t"), tf.errors.InvalidArgumentError),
    (StopIteration(), tf.errors.OutOfRangeError),
    (MemoryError(), tf.errors.ResourceExhaustedError),
    (NotImplementedError("n"), tf.errors.UnimplementedError),
    (KeyError("k"), tf.errors.UnknownError),
    (tf.errors.NotFoundError(None, None, "f"), tf.errors.UnknownError),
]


@pytest.mark.parametrize(("error", "kind"), ERRORS)
def test_an_error_in_py_function_becomes_one_of_tf_errors(error: Any, kind: Any) -> None:
    with pytest.raises(kind, match=type(error).__name__) as caught:
        tf.py_function(lambda: _raise(error), [], tf.float32)
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", [e for e, _ in ERRORS])
def test_an_error_in_numpy_function_comes_out_as_it_is(error: Exception) -> None:
    with pytest.raises(type(error)):
        tf.numpy_function(lambda: _raise(error), [], tf.float32)


def test_py_function_gets_eager_tensors_also_in_a_function() -> None:
    seen = []

    @tf.function
    def f(a: tf.Tensor) -> tf.Tensor:
        return tf.py_function(lambda b: seen.append(b.numpy()) or b * b, [a], tf.float32)

    assert f(x).numpy() == 4.0 and seen == [2.0]


def test_numpy_function_gets_arrays_also_in_a_function() -> None:
    @tf.function
    def f(a: tf.Tensor) -> tf.Tensor:
        return tf.numpy_function(np.sinh, [a], tf.float32)

    assert f(x).numpy() == np.sinh(np.float32(2.0))


def test_a_function_must_keep_its_promise() -> None:
    @tf.function
    def f(a: tf.Tensor) -> tf.Tensor:
        return tf.numpy_function(lambda b: b.astype(np.float64), [a], tf.float32)

    with pytest.raises(tf.errors.InvalidArgumentError, match="float64 where float32"):
        f(x)


@pytest.mark.parametrize("traced", [False, True])
def test_gradients_flow_through_py_function(traced: bool) -> None:
    def f(a: tf.Tensor) -> tf.Tensor:
        return tf.py_function(lambda b: b * b * b, [a], tf.float32)

    called = tf.function(f) if traced else f
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = called(x)
    assert tape.gradient(y, x).numpy() == 12.0


@pytest.mark.parametrize("traced", [False, True])
def test_the_gradient_for_an_argument_that_py_function_does_not_use_is_zero(traced: bool) -> None:
    def slopes(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = tf.py_function(lambda a, b: a * 2, [x, y], tf.float32)
        return tape.gradient(z, [x, y])

    found = (tf.function(slopes) if traced else slopes)(tf.constant(3.0), tf.constant([1.0, 2.0]))
    assert found[0] == 2.0
    np.testing.assert_array_equal(found[1], [0.0, 0.0])


def test_eager_py_function_has_second_derivatives() -> None:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.py_function(lambda b: b * b * b, [x], tf.float32)
        first = inner.gradient(y, x)
    assert outer.gradient(first, x).numpy() == 12.0


def test_no_gradient_flows_through_numpy_function() -> None:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.numpy_function(np.sinh, [x], tf.float32)
    assert tape.gradient(y, x) is None


def test_several_results_and_none() -> None:
    a, b = tf.py_function(lambda v: (v, v + 1), [x], [tf.float32, tf.float32])
    assert (a.numpy(), b.numpy()) == (2.0, 3.0)
    assert tf.py_function(lambda v: None, [x], []) == []
    assert tf.numpy_function(lambda v: None, [x], []) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="returned 1 values, expected 2"):
        tf.py_function(lambda v: v, [x], [tf.float32, tf.float32])


def test_both_are_decorators_too() -> None:
    assert tf.py_function(Tout=tf.float32)(lambda v: v + 1)(x).numpy() == 3.0
    assert tf.numpy_function(Tout=tf.float32)(lambda v: v + 1)(x).numpy() == 3.0


def test_a_graph_lets_go_of_its_functions() -> None:
    gc.collect()
    before = len(python_functions._callbacks)
    with tf.Graph().as_default():
        tf.numpy_function(np.sinh, [1.0], tf.float32)
        assert len(python_functions._callbacks) == before + 1
    gc.collect()
    assert len(python_functions._callbacks) == before


def _squares(seen: list[float]):
    def square(x):
        seen.append(float(x))
        return x * x

    return square


def _slope(fn, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)
    return float(tape.gradient(y, x))


def test_each_iteration_of_a_loop_has_a_run_of_its_own():
    seen: list[float] = []
    square = _squares(seen)

    @tf.function
    def f(x):
        for _ in tf.range(3):
            x = tf.ensure_shape(tf.py_function(square, [x], tf.float32), [])
        return x

    for _ in range(3):
        assert _slope(f, tf.constant(1.5)) == 8 * 1.5**7
    assert seen == [1.5, 2.25, 5.0625] * 3


def test_a_gradient_belongs_to_the_call_it_was_recorded_in():
    seen: list[float] = []
    square = _squares(seen)
    f = tf.function(lambda x: tf.py_function(square, [x], tf.float32))
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    f(tf.constant(5.0))
    assert [float(tape.gradient(y, x)) for _ in range(2)] == [6.0, 6.0]
    assert seen == [3.0, 5.0]


def test_second_order_through_a_python_function_in_a_function():
    f = tf.function(lambda x: tf.py_function(lambda a: a * a * a, [x], tf.float32))
    x = tf.constant(2.0)
    for _ in range(3):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            slope = inner.gradient(y, x)
        assert (float(slope), float(outer.gradient(slope, x))) == (12.0, 12.0)


def test_what_a_run_keeps_is_freed_with_its_tape():
    kept = []

    class Held:
        pass

    def hold(x):
        held = Held()
        kept.append(weakref.ref(held))
        return tf.custom_gradient(lambda z: (z * 2, lambda dz, held=held: dz * 2))(x)

    f = tf.function(lambda x: tf.py_function(hold, [x], tf.float32))
    x = tf.constant(1.0)
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
    assert kept[-1]() is not None
    del tape, y
    gc.collect()
    assert [ref() for ref in kept] == [None] * 3
