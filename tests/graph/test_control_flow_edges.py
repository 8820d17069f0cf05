"""Corners of `tf.cond`, `tf.while_loop` and `tf.map_fn` where TensorFlow has an answer."""

from __future__ import annotations

from typing import Any

import pytest

import runnel as tf


@pytest.mark.parametrize(
    "invariant", [tf.RaggedTensorSpec([None, None], tf.int32), tf.TensorShape([None, None])]
)
def test_a_ragged_loop_variable_may_grow(invariant: Any) -> None:
    @tf.function
    def f(n: Any) -> Any:
        return tf.while_loop(
            lambda i, r: i < n,
            lambda i, r: (i + 1, tf.concat([r, [[i]]], 0)),
            [0, tf.ragged.constant([[1, 2], [3]])],
            shape_invariants=[tf.TensorShape([]), invariant],
        )[1]

    assert f(tf.constant(2)).to_list() == [[1, 2], [3], [0], [1]]


def test_there_is_an_invariant_for_each_loop_variable() -> None:
    @tf.function
    def f() -> Any:
        return tf.while_loop(
            lambda i, j: i < 3,
            lambda i, j: (i + 1, j),
            [0, 1],
            shape_invariants=[tf.TensorShape([])],
        )

    with pytest.raises(ValueError, match="a list of 2 and a list of 1"):
        f()


def test_the_limit_of_iterations_is_a_number() -> None:
    @tf.function
    def f() -> Any:
        return tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], maximum_iterations=[1])

    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a number"):
        f()


def test_a_result_has_its_keys_in_the_order_of_the_true_branch() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.cond(x > 0, lambda: {"a": x, "b": x}, lambda: {"b": x, "a": -x})

    assert list(f(tf.constant(-2))) == ["a", "b"]
    assert f(tf.constant(-2))["a"].numpy() == 2


@pytest.mark.parametrize("pred", [1, [1], [True, False]])
def test_the_predicate_in_a_graph_is_one_boolean(pred: Any) -> None:
    f = tf.function(lambda p: tf.cond(p, lambda: 1, lambda: 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="scalar of dtype bool"):
        f(tf.constant(pred))


def test_vectorized_map_leaves_none_alone() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert tf.vectorized_map(lambda row: None, x) is None
    first, nothing = tf.vectorized_map(lambda row: (row[0], None), x)
    assert first.numpy().tolist() == [1.0, 3.0] and nothing is None


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_map_fn_holds_its_function_to_the_signature(wrap: Any) -> None:
    x = tf.constant([1.0, 2.0])
    spec = tf.TensorSpec([2], tf.float32)
    with pytest.raises(ValueError, match="shape"):
        wrap(lambda: tf.map_fn(lambda v: v, x, fn_output_signature=spec))()
    made = wrap(lambda: tf.map_fn(lambda v: tf.stack([v, v]), x, fn_output_signature=spec))()
    assert made.numpy().tolist() == [[1.0, 1.0], [2.0, 2.0]]
