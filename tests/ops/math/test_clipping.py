"""Tests of runnel/ops/math/clipping.py beyond the tables."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf


@pytest.fixture
def slices():
    return tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]), tf.constant([3, 2]))


def test_slices_stay_sparse(slices):
    by_value, by_norm = tf.clip_by_value(slices, 0.0, 3.5), tf.clip_by_norm(slices, 1.0)
    (by_global_norm,), norm = tf.clip_by_global_norm([slices], 1.0)
    assert by_value.values.numpy().tolist() == [[3.0, 3.5]]
    np.testing.assert_allclose(by_norm.values.numpy(), [[0.6, 0.8]], rtol=1e-6)
    np.testing.assert_allclose(by_global_norm.values.numpy(), [[0.6, 0.8]], rtol=1e-6)
    assert norm.numpy() == 5.0
    assert all(isinstance(s, tf.IndexedSlices) for s in (by_value, by_norm, by_global_norm))


def test_the_gradient_at_a_norm_of_zero_is_finite():
    x = tf.zeros([2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.clip_by_norm(x, 1.0)
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 1.0]


def test_a_norm_that_is_no_number_makes_every_gradient_nan():
    (clipped,), _ = tf.clip_by_global_norm([tf.constant([1.0, np.inf])], 1.0)
    assert np.isnan(clipped.numpy()).all()


def test_values_at_a_limit_keep_their_gradient():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.clip_by_value(x, 2.0, 3.0)
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 1.0, 1.0, 0.0]


def test_limits_that_would_broadcast_the_tensor_are_refused():
    with pytest.raises(ValueError, match="incompatible"):
        tf.clip_by_value([1.0, 2.0, 3.0], [[0.0], [1.0]], 2.0)
