import math

import numpy as np

from runnel.backend.jax import jax
from runnel.kernels.single_precision import doubtful, logarithm, sine_and_cosine

STEPS = 16 * np.finfo(np.float64).eps


def numbers(low, high):
    return np.random.default_rng(0).uniform(low, high, 100_000).astype(np.float32)


def test_sine_and_cosine_are_exact_to_the_last_digits():
    quarters = (np.arange(5) * math.pi / 2).astype(np.float32)
    x = np.concatenate(
        [numbers(0, 2 * math.pi), quarters, np.nextafter(quarters[1:], np.float32(9))]
    )
    sine, cosine = jax.jit(sine_and_cosine)(x)
    np.testing.assert_allclose(sine, np.sin(x.astype(np.float64)), rtol=STEPS)
    np.testing.assert_allclose(cosine, np.cos(x.astype(np.float64)), rtol=STEPS)


def test_logarithms_are_exact_to_the_last_digits():
    x = np.concatenate([numbers(1e-7, 1), np.float32([1, 1 - 2**-24, 0.5, 1e-7, 3e38])])
    got = jax.jit(logarithm)(x)
    np.testing.assert_allclose(got, np.log(x.astype(np.float64)), rtol=STEPS)


def test_a_number_in_the_middle_of_two_is_doubtful():
    middle = 1 + 2.0**-24
    assert doubtful(np.array([1.0, middle]))
    assert doubtful(np.array([np.nextafter(middle, 0)]))
    assert not doubtful(np.array([1.0, 1.5, middle + 2.0**-40]))
