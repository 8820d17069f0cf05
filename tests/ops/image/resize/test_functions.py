"""Resizing: what the tables of answers cannot say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf
from runnel.kernels import resampling

METHODS = (
    "bilinear",
    "nearest",
    "bicubic",
    "area",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "mitchellcubic",
)


def image(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape).uniform(0, 1, shape).astype(np.float32)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("antialias", [False, True])
def test_a_uniform_image_stays_uniform(method: str, antialias: bool) -> None:
    gray = np.full((9, 14, 2), 0.25, np.float32)
    resized = tf.image.resize(gray, [5, 20], method, antialias=antialias)
    np.testing.assert_allclose(resized.numpy(), 0.25, rtol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_sizes_may_be_unknown_while_tracing(method: str) -> None:
    @tf.function(
        input_signature=[tf.TensorSpec([None, None, None, 3]), tf.TensorSpec([2], tf.int32)]
    )
    def resize(x: tf.Tensor, size: tf.Tensor) -> tf.Tensor:
        return tf.image.resize(x, size, method, preserve_aspect_ratio=True, antialias=True)

    x = image(2, 6, 8, 3)
    want = tf.image.resize(x, [5, 5], method, preserve_aspect_ratio=True, antialias=True)
    np.testing.assert_allclose(resize(x, [5, 5]).numpy(), want.numpy(), rtol=1e-5, atol=1e-6)


def test_the_gradient_of_a_gradient_flows_through_a_resize() -> None:
    x = tf.constant(image(1, 4, 4, 1))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.image.resize(x, [6, 6]) ** 3)
        first = inner.gradient(y, x)
    second = outer.gradient(first, x)
    step = 1e-2
    direction = image(1, 4, 4, 1)

    def slope(at: tf.Tensor) -> np.ndarray:
        with tf.GradientTape() as tape:
            tape.watch(at)
            z = tf.reduce_sum(tf.image.resize(at, [6, 6]) ** 3)
        return tape.gradient(z, at).numpy()

    moved = (slope(x + step * direction) - slope(x - step * direction)).sum() / (2 * step)
    assert np.sum(second.numpy() * direction) == pytest.approx(moved, rel=1e-2)


sizes = st.integers(1, 12)


@settings(deadline=None)
@given(sizes, sizes, st.booleans())
def test_the_transpose_of_taps_is_that_of_their_matrix(size: int, outputs: int, half: bool) -> None:
    for taps in (
        resampling.linear_taps(size, outputs, False, half),
        resampling.cubic_taps(size, outputs, False, half),
        resampling.nearest_taps(size, outputs, False, half),
        resampling.area_taps(size, outputs, False),
    ):
        np.testing.assert_allclose(taps.transposed().matrix(), taps.matrix().T, atol=1e-6)
