"""Products whose first factor is transposed: XLA gets them the other way round, or laid out."""

import numpy as np
import pytest

import runnel as tf

WIDE = [  # the two factors, of which the first is to be transposed
    ((128, 256), (128, 32)),
    ((130, 128), (130, 1)),
    ((4, 128, 128), (4, 128, 16)),
    ((2, 3, 128, 128), (3, 128, 8)),
    ((128, 128), (5, 128, 8)),
    ((3, 128), (3, 1)),  # too few rows
]


def floats(shapes):
    """The same for the same shapes, whatever runs before."""
    random = np.random.default_rng(5)
    return [random.standard_normal(shape, np.float32) for shape in shapes]


def factors(shapes):
    return list(map(tf.constant, floats(shapes)))


def expected(a, b):
    return np.swapaxes(a.numpy().astype(np.float64), -1, -2) @ b.numpy().astype(np.float64)


@pytest.mark.parametrize("shapes", WIDE, ids=str)
def test_a_wide_transposed_factor(shapes):
    a, b = factors(shapes)
    multiply = tf.function(lambda a, b: tf.matmul(a, b, transpose_a=True))
    np.testing.assert_allclose(multiply(a, b), expected(a, b), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shapes", WIDE, ids=str)
def test_gradients_of_a_wide_transposed_factor(shapes):
    a, b = factors(shapes)

    def slopes(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            loss = tf.reduce_sum(tf.sin(tf.matmul(a, b, transpose_a=True)))
        return tape.gradient(loss, [a, b])

    for ours, plain in zip(tf.function(slopes)(a, b), slopes(a, b), strict=True):
        np.testing.assert_allclose(ours, plain, rtol=1e-4, atol=1e-4)


def test_wide_factors_under_a_vectorised_map():
    a, b = factors([(5, 128, 128), (5, 128, 8)])
    multiply = tf.function(
        lambda a, b: tf.vectorized_map(lambda x: tf.matmul(*x, transpose_a=True), (a, b))
    )
    np.testing.assert_allclose(multiply(a, b), expected(a, b), rtol=1e-5, atol=1e-5)
