"""What NumPy and JAX say differently agrees."""

import numpy as np
import pytest

import runnel as tf
from runnel.core.xla import jax, jnp
from runnel.ops.primitives import by_parts
from runnel.ops.windows import make_window, tap_sums, untaps


def test_a_constant_is_updated_in_a_compiled_function():
    @tf.function(jit_compile=True)
    def updated(value, index):
        return tf.tensor_scatter_nd_update(tf.zeros([3]), [[index]], [value])

    np.testing.assert_array_equal(updated(tf.constant(5.0), tf.constant(1)), [0, 5, 0])


@pytest.mark.parametrize("count", [1, 2, 7, 16, 19])
def test_parts_of_any_number_of_rows_make_up_the_whole(count: int):
    x, y = np.arange(count * 3.0).reshape(count, 3), np.arange(count * 1.0)

    def product(xp):
        return lambda x, y: by_parts(xp, lambda a, b: a * b[:, None], x, y)

    np.testing.assert_array_equal(product(np)(x, y), jax.jit(product(jnp))(x, y))


@pytest.mark.parametrize(
    "sizes, kernel, strides, padding, dilations",
    [
        ((7, 6), (3, 3), (2, 2), "SAME", (1, 1)),
        ((7, 6), (2, 3), (3, 1), "VALID", (1, 2)),
        ((9, 5), (3, 2), (2, 3), "SAME", (2, 1)),
        ((6, 6), (1, 1), (2, 2), "VALID", (1, 1)),
        ((5, 4, 6), (3, 2, 2), (2, 2, 1), "SAME", (1, 1, 1)),
    ],
)
def test_windows_are_put_back_as_numpy_does(sizes, kernel, strides, padding, dilations):
    w = make_window("Test", sizes, kernel, strides, padding, dilations)
    random = np.random.default_rng(1)
    parts = [random.normal(size=(2, *w.out, 3)) for _ in range(w.count)]
    x, dy = random.normal(size=(2, *sizes, 3)), parts[0]
    compiled = jax.jit(lambda *parts: untaps(jnp, parts, w))(*parts)
    np.testing.assert_allclose(compiled, untaps(np, parts, w))
    sums = jax.jit(lambda x, dy: tap_sums(jnp, x, dy, w))(x, dy)
    np.testing.assert_allclose(sums, tap_sums(np, x, dy, w))
