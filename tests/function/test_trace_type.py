"""Variables as arguments of a tf.function: which calls share a trace, and that all are right."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import runnel as tf


def count(fn: Any) -> int:
    return int(fn.experimental_get_tracing_count())


def test_variables_of_one_shape_and_dtype_share_a_trace() -> None:
    fn = tf.function(lambda v: v.assign_add(1.0) * 2.0)
    variables = [tf.Variable(float(i), name=f"v{i}") for i in range(4)]
    for _ in range(3):
        for variable in variables:
            before = variable.numpy()
            assert fn(variable).numpy() == (before + 1) * 2
    assert [v.numpy() for v in variables] == [3.0, 4.0, 5.0, 6.0]
    assert count(fn) == 1


@pytest.mark.parametrize(
    "other", [tf.Variable([1.0]), tf.Variable(1), tf.Variable(1.0, trainable=False)]
)
def test_variables_that_differ_have_a_trace_each(other: tf.Variable) -> None:
    fn = tf.function(lambda v: v + 1)
    fn(tf.Variable(1.0))
    fn(other)
    assert count(fn) == 2


def test_a_variable_that_may_change_its_shape_shares_its_trace_with_narrower_ones() -> None:
    fn = tf.function(lambda v: tf.reduce_sum(v))
    fn(tf.Variable([1.0], shape=[None]))
    assert fn(tf.Variable([1.0, 2.0])).numpy() == 3.0
    assert count(fn) == 1


def test_calls_share_a_trace_if_the_same_arguments_are_the_same_variable() -> None:
    fn = tf.function(lambda u, v: u.assign_add(v) + v)
    a, b, c = [tf.Variable(x) for x in (1.0, 2.0, 3.0)]
    assert fn(a, b).numpy() == 5.0  # a is 3
    assert fn(c, a).numpy() == 9.0  # c is 6
    assert count(fn) == 1
    assert fn(a, a).numpy() == 12.0  # a is 6
    assert fn(b, b).numpy() == 8.0
    assert count(fn) == 2


def test_variables_in_nests_count_like_others() -> None:
    fn = tf.function(lambda d: d["a"] * 2.0 + d["b"][0])
    a, b, c = [tf.Variable(x) for x in (1.0, 2.0, 3.0)]
    assert fn({"a": a, "b": [b]}).numpy() == 4.0
    assert fn({"a": b, "b": [c]}).numpy() == 7.0
    assert fn({"a": b, "b": [b]}).numpy() == 6.0
    assert count(fn) == 2


def test_a_variable_that_the_function_knows_anyway_has_its_own_trace() -> None:
    a, b, c = [tf.Variable(x) for x in (1.0, 2.0, 3.0)]

    @tf.function
    def fn(v: tf.Variable) -> Any:
        v.assign_add(10.0)
        return a.read_value()

    found = [fn(v).numpy() for v in (a, b, a, c, b, a)]
    assert found == [11.0, 11.0, 21.0, 21.0, 21.0, 31.0]
    assert count(fn) == 2

    @tf.function
    def again(v: tf.Variable) -> Any:
        v.assign_add(10.0)
        return a.read_value()

    assert [again(v).numpy() for v in (b, a, c)] == [31.0, 41.0, 41.0]
    assert count(again) == 2


def test_gradients_by_a_variable_that_is_passed() -> None:
    fn = tf.function(lambda v: v * v)

    @tf.function
    def inside(v: tf.Variable, n: tf.Tensor) -> Any:
        with tf.GradientTape() as tape:
            y = tf.constant(1.0)
            for _ in tf.range(n):
                y = y * v
        return tape.gradient(y, v)

    for value in 3.0, 4.0, 5.0:
        variable = tf.Variable(value)
        with tf.GradientTape() as tape:
            y = fn(variable)
        assert [v is variable for v in tape.watched_variables()] == [True]
        assert tape.gradient(y, variable).numpy() == 2 * value
        assert inside(variable, tf.constant(3)).numpy() == 3 * value**2
    assert count(fn) == count(inside) == 1


def test_a_trace_takes_other_variables_after_its_own_is_gone() -> None:
    fn = tf.function(lambda v: v + 1.0)
    concrete = fn.get_concrete_function(tf.Variable(1.0))
    gc.collect()
    assert concrete(tf.Variable(5.0)).numpy() == fn(tf.Variable(5.0)).numpy() == 6.0
    assert concrete.variables == () and len(concrete.inputs) == 1
    text = "VariableSpec(shape=(), dtype=tf.float32, trainable=True, alias_id=0)"
    assert repr(concrete.structured_input_signature) == f"(({text},), {{}})"
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a resource tensor"):
        concrete(tf.constant(1.0))
    with pytest.raises(TypeError, match="must be VariableSpec"):
        concrete(1.0)


def test_variables_are_passed_on_to_functions_branches_and_loops() -> None:
    inner = tf.function(lambda v, x: v.assign_add(x))

    @tf.function
    def fn(v: tf.Variable, n: tf.Tensor) -> Any:
        for i in tf.range(n):
            if i > 0:
                inner(v, 2.0)
        return v * tf.map_fn(lambda e: e + v, tf.constant([1.0, 2.0]))

    for start in 1.0, 5.0:
        variable = tf.Variable(start)
        np.testing.assert_allclose(
            fn(variable, tf.constant(3)), (start + 4) * (start + 4 + np.array([1, 2]))
        )
    assert count(fn) == count(inner) == 1
