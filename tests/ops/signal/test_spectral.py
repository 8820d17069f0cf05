"""Spectra over time: what the tables of samples cannot say."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import runnel as tf
from tests.ops.slopes import assert_slopes, random


@pytest.mark.parametrize(("length", "step"), [(8, 4), (8, 2), (16, 4)])
def test_inverse_stft_undoes_stft(length: int, step: int) -> None:
    signal = random(64, dtype="float64")
    spectra = tf.signal.stft(tf.constant(signal), length, step)
    window = tf.signal.inverse_stft_window_fn(step)
    again = tf.signal.inverse_stft(spectra, length, step, window_fn=window).numpy()
    np.testing.assert_allclose(again[length:-length], signal[length:-length], atol=1e-9)


def test_inverse_mdct_undoes_mdct() -> None:
    signal = random(64, dtype="float64")
    for norm in (None, "ortho"):
        again = tf.signal.inverse_mdct(
            tf.signal.mdct(tf.constant(signal), 16, norm=norm), norm=norm
        )
        np.testing.assert_allclose(again.numpy()[8:-8], signal[8:-8], atol=1e-9)


@pytest.mark.parametrize("type", [2, 3, 4])
def test_idct_undoes_dct(type: int) -> None:
    x = random(3, 7, dtype="float64")
    again = tf.signal.idct(tf.signal.dct(tf.constant(x), type, norm="ortho"), type, norm="ortho")
    np.testing.assert_allclose(again.numpy(), x)


def test_gradients_of_compositions() -> None:
    x = random(20, dtype="float64")
    assert_slopes(lambda x: tf.signal.frame(x, 6, 4, pad_end=True), x)
    assert_slopes(lambda x: tf.signal.overlap_and_add(x, 2), random(3, 5, dtype="float64"))
    assert_slopes(lambda x: tf.signal.stft(x, 8, 4), x)
    assert_slopes(lambda x: tf.signal.mdct(x, 8), x)


def test_stft_takes_any_window() -> None:
    window = functools.partial(tf.signal.kaiser_window, beta=5.0)
    assert tf.signal.stft(tf.ones([16]), 8, 4, window_fn=window).shape == (3, 5)
