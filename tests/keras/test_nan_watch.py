"""The word to the user when a loss has become NaN."""

import logging

import numpy as np
import pytest

import runnel as tf


def told(caplog, bad, batches):
    """What `fit` says for two epochs of `batches` samples, of which the one at `bad` is NaN."""
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x = np.ones((batches, 1), np.float32)
    if bad is not None:
        x[bad] = np.nan
    model.fit(x, np.ones_like(x), batch_size=1, epochs=2, verbose=0, shuffle=False)
    return [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]


@pytest.mark.parametrize(
    "bad, batches",
    [(0, 1), (2, 5), (63, 130), (64, 130), (129, 130)],  # around the steps that are looked at
)
def test_the_first_batch_with_a_nan_is_told_once(caplog, bad, batches):
    (message,) = told(caplog, bad, batches)
    assert message.startswith(f"The loss is NaN from batch {bad + 1} of epoch 1 on.")


def test_nothing_is_said_of_numbers(caplog):
    assert told(caplog, None, 130) == []
