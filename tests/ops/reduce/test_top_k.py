"""Large rows are sorted by other means than small ones; what a stable sort gives is the judge."""

import ml_dtypes
import numpy as np
import pytest

import runnel as tf

NARROW = "int8", "uint8", "int16", "uint16", "int32", "uint32", "float16", "float32"
WIDE = "int64", "uint64", "float64"


def rows(dtype):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 100, (3, 2000)).astype(dtype)
    limits = np.finfo(dtype) if np.dtype(dtype).kind == "f" else np.iinfo(dtype)
    x[:, 5], x[:, 9], x[:, 11] = limits.max, limits.min, limits.max
    return x


def stable(x):
    """The descending order in which ties stand as they were."""
    return x.shape[-1] - 1 - np.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1]


@pytest.mark.parametrize("dtype", NARROW + WIDE)
def test_ties_keep_their_order(dtype):
    x = rows(dtype)
    assert np.array_equal(tf.argsort(x, direction="DESCENDING"), stable(x))
    assert np.array_equal(tf.argsort(x), np.argsort(x, axis=-1, kind="stable"))
    assert np.array_equal(tf.sort(x), np.sort(x, axis=-1))
    assert np.array_equal(tf.math.top_k(x, 7).indices, stable(x)[:, :7])


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_both_zeros_are_the_same_and_what_is_no_number_is_the_largest(dtype):
    x = np.array([0.0, -0.0, np.nan, 1.0, -np.inf, -0.0, -np.nan, np.inf, 0.0], dtype)
    assert tf.math.top_k(x, 9).indices.numpy().tolist() == [2, 6, 7, 3, 0, 1, 5, 8, 4]


@pytest.mark.parametrize("k", [1, 2, 16, 17])
def test_large_rows_give_the_same_whether_compiled_or_not(k):
    x = np.random.default_rng(0).integers(0, 5000, (2, 1 << 15)).astype(np.float32)
    for _ in range(3):
        values, indices = tf.math.top_k(x, k)
        assert np.array_equal(indices, stable(x)[:, :k])
        assert np.array_equal(values, np.take_along_axis(x, stable(x)[:, :k], -1))


@pytest.mark.parametrize("reverse", [False, True])
def test_the_nth_element_is_that_of_the_sorted_row(reverse):
    x = np.random.default_rng(0).standard_normal((4, 3000)).astype(np.float32)
    place = -1 - 70 if reverse else 70
    got = tf.raw_ops.NthElement(input=x, n=70, reverse=reverse)
    assert np.array_equal(got, np.sort(x, axis=-1)[:, place])
    half = tf.raw_ops.NthElement(input=tf.cast(x, tf.bfloat16), n=70, reverse=reverse)
    assert np.array_equal(half, np.sort(x, axis=-1)[:, place].astype(ml_dtypes.bfloat16))


def test_a_target_that_is_no_class_is_not_among_the_best():
    predictions = np.array([[0.5, 0.1], [0.5, 0.1], [0.5, 0.5], [np.inf, 0.0]], np.float32)
    found = tf.math.in_top_k([-1, 2, 1, 0], predictions, 1).numpy().tolist()
    assert found == [False, False, True, False]
