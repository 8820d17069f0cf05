"""What the tables cannot say of dropout."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf


def test_what_is_kept_grows_so_that_the_mean_stays() -> None:
    y = tf.nn.dropout(tf.ones([100, 100]), rate=0.25).numpy()
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / 0.75)}
    assert y.mean() == pytest.approx(1, abs=0.05)


def test_noise_of_one_column_drops_whole_rows() -> None:
    y = tf.nn.dropout(tf.ones([50, 4]), 0.5, noise_shape=[50, 1]).numpy()
    assert np.array_equal(y.min(axis=1), y.max(axis=1))
    assert 0 < (y[:, 0] > 0).sum() < 50


def test_a_global_seed_repeats_it() -> None:
    runs = []
    for _ in range(2):
        tf.random.set_seed(5)
        runs.append(tf.nn.dropout(tf.ones([64]), 0.5).numpy())
    assert np.array_equal(*runs)


def test_the_gradient_flows_through_what_was_kept() -> None:
    x = tf.ones([64])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, 0.5)
    assert np.array_equal(tape.gradient(y, x), y)
