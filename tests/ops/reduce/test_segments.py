"""Tests of runnel/ops/reduce/segments.py and unsorted_segments.py beyond the tables."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf

SORTED = ["sum", "mean", "max", "min", "prod"]
UNSORTED = [*SORTED, "sqrt_n"]
DATA = np.arange(1, 11, dtype=np.float32).reshape(5, 2) / 3


def gradient(fn, x):
    x = tf.convert_to_tensor(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)
    return tape.gradient(y, x)


@pytest.mark.parametrize("name", SORTED)
@pytest.mark.parametrize("spec", [[None, 2], [None, None], None], ids=str)
def test_gradients_of_segments_with_unknown_dimensions(name, spec):
    fn, ids = getattr(tf.math, f"segment_{name}"), tf.constant([0, 0, 1, 3, 3])

    @tf.function(input_signature=[tf.TensorSpec(spec)])
    def traced(x):
        return gradient(lambda x: fn(x, ids), x)

    want = gradient(lambda x: fn(x, ids), DATA).numpy()
    np.testing.assert_allclose(traced(tf.constant(DATA)).numpy(), want, rtol=1e-5)


@pytest.mark.parametrize("name", UNSORTED)
@pytest.mark.parametrize("spec", [[5, 2], [None, 2], [None, None]], ids=str)
def test_gradients_of_unsorted_segments_with_unknown_dimensions(name, spec):
    fn, ids = getattr(tf.math, f"unsorted_segment_{name}"), tf.constant([3, 0, -1, 3, 0])

    @tf.function(input_signature=[tf.TensorSpec(spec)])
    def traced(x):
        return gradient(lambda x: fn(x, ids, 4), x)

    want = gradient(lambda x: fn(x, ids, 4), DATA).numpy()
    np.testing.assert_allclose(traced(tf.constant(DATA)).numpy(), want, rtol=1e-5)


def test_sorted_and_unsorted_segments_agree_where_every_segment_has_rows():
    ids = tf.constant([0, 0, 1, 2, 2])
    for name in SORTED:
        a = getattr(tf.math, f"segment_{name}")(DATA, ids)
        b = getattr(tf.math, f"unsorted_segment_{name}")(DATA, ids, 3)
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)


@pytest.mark.parametrize("name", SORTED)
@pytest.mark.parametrize("columns", [(), (0,), (1,), (16,), (4, 50)], ids=str)
@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_segments_of_many_rows_are_those_of_few(name, columns, dtype):
    rng, fn = np.random.default_rng(1), getattr(tf.math, f"segment_{name}")
    data = rng.integers(-3, 4, (400, *columns)).astype(dtype)
    ids = np.sort(rng.choice([0, 1, 2, 4, 7, 8, 9, 12, 20], 400))
    whole = fn(data, ids).numpy()
    assert whole.shape == (21, *columns)
    for i in range(21):
        rows = data[ids == i]
        want = fn(rows, np.zeros(len(rows), np.int32))[0] if len(rows) else float(name == "prod")
        np.testing.assert_allclose(whole[i], want, rtol=1e-5)


def test_the_gradient_of_a_product_is_right_where_one_element_is_zero():
    ids = tf.constant([0, 0, 0])
    found = gradient(lambda x: tf.math.segment_prod(x, ids), [2.0, 0.0, 3.0])
    assert found.numpy().tolist() == [0.0, 6.0, 0.0]


def test_ids_out_of_order_are_refused():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="SegmentSum: `segment_ids` must increase"
    ):
        tf.math.segment_sum([1.0, 2.0], [1, 0])


def test_an_id_out_of_range_is_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be below 2, got 2"):
        tf.math.unsorted_segment_sum([1.0, 2.0], [0, 2], 2)
