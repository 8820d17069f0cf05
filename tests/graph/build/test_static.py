"""What is known of shapes and values while a graph is built."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf

_SPEC = tf.TensorSpec([None, 3, 4])


def traced_shapes(function: Any) -> list[Any]:
    """The static shapes of what a function makes of a tensor of unknown batch size."""
    found: list[Any] = []

    @tf.function(input_signature=[_SPEC])
    def trace(x: Any) -> Any:
        found.extend(t.shape.as_list() for t in function(x))
        return x

    trace.get_concrete_function()
    return found


def test_parts_of_a_shape_are_known_where_it_is() -> None:
    def parts(x: Any) -> Any:
        shape = tf.shape(x)
        yield from (tf.range(shape[1]), tf.range(0, shape[-1]), tf.eye(shape[1]))
        yield tf.ones(shape[1:])
        yield tf.range(shape[0])

    assert traced_shapes(parts) == [[3], [4], [3, 3], [3, 4], [None]]


def test_numbers_made_of_parts_of_a_shape_are_known() -> None:
    def reshaped(x: Any) -> Any:
        shape = tf.shape(x)
        yield tf.reshape(x, [-1, shape[1] * shape[2]])
        yield tf.reshape(x, [-1, tf.cast(shape[1] / 3, tf.int32), 12])
        yield tf.reshape(x, [-1, tf.reduce_prod(shape[1:])])  # TensorFlow does not know either

    assert traced_shapes(reshaped) == [[None, 12], [None, 1, 12], [None, None]]


def test_sorting_keeps_the_shape() -> None:
    def ordered(x: Any) -> Any:
        return tf.sort(x), tf.argsort(x, axis=1), tf.math.top_k(x, tf.shape(x)[1]).values

    assert traced_shapes(ordered) == [[None, 3, 4], [None, 3, 4], [None, 3, 3]]


def test_a_part_that_is_not_there_is_left_to_the_run() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([], tf.int32)])
    def element(x: Any, place: Any) -> Any:
        return tf.shape(x)[place]

    ones = tf.ones([5, 3])
    assert [element(ones, place).numpy() for place in (0, 1, -1)] == [5, 3, 3]


def test_what_is_known_is_what_the_run_gives() -> None:
    @tf.function(input_signature=[_SPEC])
    def numbers(x: Any) -> Any:
        shape = tf.shape(x)
        return tf.range(shape[1]), tf.gather(shape, [0, 2]), shape[0] * shape[1], shape[::-1]

    found = [t.numpy().tolist() for t in numbers(np.ones([2, 3, 4], np.float32))]
    assert found == [[0, 1, 2], [2, 4], 6, [4, 3, 2]]
