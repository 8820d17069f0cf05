"""Where converted code must do what Python does, or what TensorFlow's AutoGraph does."""

from __future__ import annotations

from typing import Any

import pytest

import runnel as tf


def test_functions_made_in_a_comprehension_see_its_last_item() -> None:
    @tf.function
    def f(x: Any) -> Any:
        late = [lambda y: y * i for i in range(3)]  # noqa: B023
        early = [lambda y, i=i: y * i for i in range(3)]
        return [g(x) for g in late], [g(x) for g in early]

    late, early = f(tf.constant(2))
    assert [t.numpy() for t in late] == [4, 4, 4]
    assert [t.numpy() for t in early] == [0, 2, 4]


def test_sorted_takes_a_key_for_tensors() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(x: Any) -> Any:
        return sorted(x), sorted(x, reverse=True), sorted(x, key=lambda v: tf.abs(v - 2))

    found = [t.numpy().tolist() for t in f(tf.constant([3, 1, 4, 2]))]
    assert found == [[1, 2, 3, 4], [4, 3, 2, 1], [2, 3, 1, 4]]


def test_only_vectors_are_sorted() -> None:
    with pytest.raises(ValueError, match="rank 1"):
        tf.function(lambda x: sorted(x))(tf.ones([2, 2]))
    with pytest.raises(ValueError, match="gives scalars"):
        tf.function(lambda x: sorted(x, key=lambda v: [v, v]))(tf.ones([2]))


def test_filter_takes_the_elements_of_a_tensor() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(x: Any) -> Any:
        total = 0
        for v in filter(lambda a: a % 2 == 1, x):
            total += v
        return total

    assert f(tf.constant([1, 2, 3])).numpy() == 4
    assert f(tf.constant([2])).numpy() == 0


def test_an_array_made_in_a_loop_grows_in_a_loop_inside() -> None:
    @tf.function
    def f(x: Any, n: Any) -> Any:
        b = x
        for _ in tf.range(n + 1):
            array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[])
            for j in tf.range(n):
                array = array.write(j, tf.cast(j, tf.float32) * b)
            b = tf.reduce_sum(array.stack()) * 0.5
        return b

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(3))
    assert y.numpy() == 2.0 * 1.5**4
    assert tape.gradient(y, x).numpy() == 1.5**4


def test_a_loop_over_a_range_may_be_cut_short() -> None:
    @tf.function
    def f(n: Any) -> Any:
        total = 0
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            total += i
        return total

    assert [f(tf.constant(n)).numpy() for n in (2, 3, 5)] == [1, 3, 3]


def test_a_gradient_reaches_what_was_read_of_an_array_before_it_grew() -> None:
    @tf.function
    def f(x: Any, n: Any) -> Any:
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False)
        for i in tf.range(n):
            array = array.write(i, x * tf.cast(i, tf.float32))
            if i > 1:
                x = x + array.read(i - 1)
        return tf.reduce_sum(array.stack())

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(4))
    assert y.numpy() == 27.0
    assert tape.gradient(y, x).numpy().tolist() == [9.0, 9.0]
