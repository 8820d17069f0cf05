"""What the tables cannot say of batch normalization."""

from __future__ import annotations

import numpy as np

import runnel as tf

X = np.arange(12, dtype=np.float32).reshape(1, 2, 3, 2)
ONES = np.ones(2, np.float32)


def test_inference_uses_the_mean_and_variance_it_is_given() -> None:
    y, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
        x=X, scale=ONES, offset=ONES, mean=ONES, variance=ONES, is_training=False
    )
    # Recorded from TensorFlow, whose CPU kernel leaves the reserved outputs undefined.
    np.testing.assert_allclose(y[0, 0, 1], [1.9999500513, 2.9999001026], rtol=1e-6)
    assert mean.numpy().tolist() == variance.numpy().tolist() == [1.0, 1.0]


def test_channels_first_is_the_same_transposed() -> None:
    first = X.transpose(0, 3, 1, 2)
    args = {"scale": ONES, "offset": ONES, "mean": ONES[:0], "variance": ONES[:0]}
    last_y = tf.raw_ops.FusedBatchNormV3(x=X, **args)[0].numpy()
    first_y = tf.raw_ops.FusedBatchNormV3(x=first, data_format="NCHW", **args)[0].numpy()
    np.testing.assert_allclose(first_y.transpose(0, 2, 3, 1), last_y, rtol=1e-5)


def test_the_gradient_in_inference_is_that_of_the_formula() -> None:
    x = tf.constant(X)
    scale, mean, variance = (tf.constant([2.0, 3.0]) * k for k in (1, 2, 3))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, scale])
        fused = tf.raw_ops.FusedBatchNormV3(
            x=x, scale=scale, offset=scale * 0, mean=mean, variance=variance, is_training=False
        )[0]
        plain = tf.nn.batch_normalization(x, mean, variance, None, scale, 1e-4)
    for source in (x, scale):
        got, want = tape.gradient(fused, source), tape.gradient(plain, source)
        np.testing.assert_allclose(got, want, rtol=1e-4)
