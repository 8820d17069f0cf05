"""Tests of runnel/ops/reduce/reductions.py and statistics.py beyond the tables."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf

FUNCTIONS = [
    tf.reduce_sum,
    tf.reduce_mean,
    tf.reduce_max,
    tf.reduce_min,
    tf.reduce_prod,
    tf.reduce_logsumexp,
    tf.math.reduce_std,
    tf.math.reduce_variance,
    tf.math.reduce_euclidean_norm,
]
X = np.arange(1, 25, dtype=np.float32).reshape(2, 3, 4) / 10


def gradient(fn, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)
    return tape.gradient(y, x)


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("axis", [None, 0, -1, [0, 2], []])
@pytest.mark.parametrize("spec", [[2, None, None], [None, None, None], None], ids=str)
def test_gradients_with_unknown_dimensions_are_those_of_eager_mode(fn, axis, spec):
    @tf.function(input_signature=[tf.TensorSpec(spec)])
    def traced(x):
        return gradient(lambda x: fn(x, axis=axis), x)

    want = gradient(lambda x: fn(x, axis=axis), X).numpy()
    np.testing.assert_allclose(traced(tf.constant(X)).numpy(), want, rtol=1e-5, atol=1e-6)


def test_the_gradient_of_a_maximum_is_shared_by_equals():
    assert gradient(tf.reduce_max, [1.0, 3.0, 3.0]).numpy().tolist() == [0.0, 0.5, 0.5]


def test_the_gradient_of_a_product_is_right_where_one_factor_is_zero():
    assert gradient(tf.reduce_prod, [2.0, 0.0, 3.0]).numpy().tolist() == [0.0, 6.0, 0.0]
    assert gradient(tf.reduce_prod, [0.0, 0.0, 3.0]).numpy().tolist() == [0.0, 0.0, 0.0]


def test_an_axis_may_be_a_tensor_that_is_known_only_when_run():
    @tf.function(input_signature=[tf.TensorSpec([2, 3]), tf.TensorSpec([], tf.int32)])
    def total(x, axis):
        return tf.reduce_sum(x, axis=axis)

    x = tf.constant(X[:, :, 0])
    assert total(x, 1).numpy().tolist() == tf.reduce_sum(x, 1).numpy().tolist()


def test_the_gradient_of_a_product_along_an_axis_that_is_known_only_when_run():
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([None], tf.int32)])
    def traced(x, axis):
        return gradient(lambda x: tf.reduce_prod(x, axis=axis), x)

    for axis in ([0], [-1, 0], [0, 1, 2], []):
        want = gradient(lambda x, axis=axis: tf.reduce_prod(x, axis=axis), X).numpy()
        found = traced(tf.constant(X), tf.constant(axis, tf.int32))
        np.testing.assert_allclose(found.numpy(), want, rtol=1e-5)


def test_half_precision_is_added_up_in_single_precision():
    many = tf.ones([5000], tf.float16)
    assert tf.reduce_sum(many).numpy() == 5000.0
    assert tf.reduce_mean(tf.ones([5000], tf.bfloat16)).numpy() == 1.0


def test_an_axis_out_of_range_is_named_in_the_error():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Sum: `axis` must be in \[-2, 2\), got 5"
    ):
        tf.reduce_sum(tf.ones([2, 2]), axis=5)


def test_reductions_of_nothing():
    nothing = tf.zeros([0])
    assert tf.reduce_sum(nothing).numpy() == 0.0
    assert tf.reduce_prod(nothing).numpy() == 1.0
    assert tf.reduce_max(nothing).numpy() == -np.inf
    assert tf.reduce_all(tf.zeros([0], tf.bool)).numpy()
    assert np.isnan(tf.reduce_mean(nothing).numpy())
