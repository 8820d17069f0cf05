"""Fourier transforms: what the tables of samples cannot say."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf
from tests.ops.slopes import assert_slopes, random


@pytest.mark.parametrize("length", [5, 6, 8])
def test_gradients_of_real_transforms_cut_and_pad_as_the_transforms_do(length: int) -> None:
    assert_slopes(lambda x: tf.signal.rfft(x, [length]), random(2, 6, dtype="float64"))
    assert_slopes(lambda x: tf.signal.irfft(x, [length]), random(2, 4))


def test_gradients_of_real_transforms_of_several_axes() -> None:
    assert_slopes(lambda x: tf.signal.rfft2d(x, [3, 6]), random(2, 4, 5, dtype="float64"))
    assert_slopes(lambda x: tf.signal.irfft2d(x, [3, 6]), random(2, 4, 5))


def test_gradients_of_complex_transforms() -> None:
    assert_slopes(tf.signal.fft, random(2, 5))
    assert_slopes(tf.signal.ifft2d, random(2, 3, 4))


@pytest.mark.parametrize("norm", [None, "backward", "forward", "ortho"])
def test_transforms_of_any_axes_are_numpys(norm: str | None) -> None:
    x = random(2, 3, 4)
    for name in ("fftn", "ifftn"):
        mine = getattr(tf.signal, f"{name}d")(tf.constant(x), [3, 4], [0, 2], norm)
        theirs = getattr(np.fft, name)(x, s=[3, 4], axes=[0, 2], norm=norm)
        np.testing.assert_allclose(mine.numpy(), theirs)
    mine = tf.signal.rfftnd(tf.constant(x.real), [3, 4], [0, 2], norm)
    np.testing.assert_allclose(mine.numpy(), np.fft.rfftn(x.real, [3, 4], [0, 2], norm))
    mine = tf.signal.irfftnd(tf.constant(x), [3, 4], [0, 2], norm)
    np.testing.assert_allclose(mine.numpy(), np.fft.irfftn(x, [3, 4], [0, 2], norm))


def test_transforms_of_any_axes_take_all_by_default() -> None:
    x = random(3, 4)
    np.testing.assert_allclose(tf.signal.fftnd(tf.constant(x)).numpy(), np.fft.fftn(x))
    np.testing.assert_allclose(tf.signal.irfftnd(tf.constant(x)).numpy(), np.fft.irfftn(x))


def test_an_axis_may_be_transformed_once_only() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="each axis once"):
        tf.signal.fftnd(tf.constant(random(3, 4)), [3, 4], [0, -2])


def test_fftshift_and_back_changes_nothing() -> None:
    x = np.arange(12).reshape(3, 4)
    assert np.array_equal(tf.signal.ifftshift(tf.signal.fftshift(x)), x)
    assert np.array_equal(tf.signal.fftshift(x, [1]), np.fft.fftshift(x, [1]))
