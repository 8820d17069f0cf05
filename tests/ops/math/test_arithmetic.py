"""Tests of runnel/ops/math/arithmetic.py beyond the tables."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf


def gradients(fn, *values):
    inputs = [tf.constant(v) for v in values]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        result = fn(*inputs)
    return [g.numpy().tolist() for g in tape.gradient(result, inputs)]


def test_maximum_gives_a_tie_to_the_first_argument():
    assert gradients(tf.maximum, 2.0, 2.0) == [1.0, 0.0]
    assert gradients(tf.minimum, 2.0, 2.0) == [1.0, 0.0]


def test_the_gradient_of_a_broadcast_argument_has_its_shape():
    dx, dy = gradients(tf.multiply, np.ones((2, 3), np.float32), np.float32(2.0))
    assert np.shape(dx) == (2, 3)
    assert dy == 6.0


@pytest.mark.parametrize("fn", [tf.add, tf.multiply, tf.subtract, tf.divide, tf.maximum])
def test_broadcasting_is_undone_for_shapes_that_are_known_only_when_run(fn):
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def both(x, y):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = fn(x, y)
        return tape.gradient(z, [x, y])

    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.full((1, 3), 2.0, np.float32)
    want = gradients(fn, x, y)
    assert [g.numpy().tolist() for g in both(tf.constant(x), tf.constant(y))] == want


def test_integers_wrap_around():
    assert (tf.constant(127, tf.int8) + 1).numpy() == -128
    assert tf.abs(tf.constant(-128, tf.int8)).numpy() == -128
    assert (tf.constant(2**31 - 1) * 2).numpy() == -2


def test_strings_are_joined_by_add_and_by_the_operator():
    assert tf.add("a", "b").numpy() == b"ab"
    assert (tf.constant(["a", "b"]) + "c").numpy().tolist() == [b"ac", b"bc"]


def test_add_n_makes_slices_dense():
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([1]), tf.constant([2, 1]))
    total = tf.add_n([tf.ones([2, 1]), slices])
    assert total.numpy().tolist() == [[1.0], [2.0]]


def test_scalar_mul_keeps_slices_sparse():
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([1]), tf.constant([2, 1]))
    scaled = tf.scalar_mul(3.0, slices)
    assert isinstance(scaled, tf.IndexedSlices)
    assert scaled.values.numpy().tolist() == [[3.0]]


def test_an_error_names_the_op_the_argument_and_both_shapes():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"AddV2: `y` must broadcast.*\(2,\).*\(3,\)"
    ):
        tf.ones([2]) + tf.ones([3])
