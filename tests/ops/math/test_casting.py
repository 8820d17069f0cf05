"""Tests of runnel/ops/math/casting.py beyond the tables."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf
from runnel.kernels import arrays


def test_a_cast_to_the_same_dtype_returns_the_tensor_itself():
    x = tf.constant([1.0])
    assert tf.cast(x, tf.float32) is x


def test_what_does_not_fit_becomes_the_lowest_integer():
    bad = tf.constant([np.nan, np.inf, -np.inf, 1e30])
    assert (tf.cast(bad, tf.int32).numpy() == tf.int32.min).all()
    assert (tf.cast(bad, tf.int64).numpy() == tf.int64.min).all()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int32", "int64", "uint64"])
def test_floats_are_cut_alike_on_every_processor(dtype, monkeypatch):
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 3e9, -1.7, 1.7, 300.0, 1.2e19], np.float32)
    here = tf.cast(x, dtype).numpy()
    monkeypatch.setattr(arrays, "_cuts_like_x86", lambda: False)
    assert tf.cast(x, dtype).numpy().tolist() == here.tolist()


def test_a_cast_passes_gradients_between_floats_only():
    x = tf.constant([1.5])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        wide, whole = tf.cast(x, tf.float64), tf.cast(tf.cast(x, tf.int32), tf.float32)
    assert tape.gradient(wide, x).dtype is tf.float32
    assert tape.gradient(whole, x) is None


def test_slices_stay_sparse():
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([1]), tf.constant([2, 1]))
    assert tf.cast(slices, tf.float64).values.dtype is tf.float64


def test_saturate_cast_reaches_both_ends_of_every_integer_type():
    huge = tf.constant([-1e30, 1e30])
    for dtype in (tf.int8, tf.uint8, tf.int16, tf.int32, tf.int64):
        low, high = tf.saturate_cast(huge, dtype).numpy().tolist()
        assert low == dtype.min
        assert dtype.max - high <= dtype.max * 1e-6
