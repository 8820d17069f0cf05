"""Many small matrices, which NumPy gets one by one and without threads, also in functions."""

import numpy as np
import pytest

import runnel as tf
from runnel.kernels.linalg import lapack

RANDOM = np.random.default_rng(6)


def matrices(dtype: str) -> np.ndarray:
    found = RANDOM.standard_normal([3, 2, 90, 90]) + 20 * np.eye(90)
    if dtype.startswith("complex"):
        found = found + 1j * RANDOM.standard_normal(found.shape)
    return found.astype(dtype)


def test_many_small_matrices_are_crowded_and_few_or_large_ones_are_not() -> None:
    sizes = ((64, 90, 90), (4, 8, 8), (1000, 1000), (3,))
    assert [lapack.crowded([np.zeros(dims)]) for dims in sizes] == [True, False, False, False]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_many_matrices_are_inverted_solved_and_factored(dtype: str) -> None:
    a = matrices(dtype)
    adjoint, one = a.conj().swapaxes(-1, -2), np.eye(90)
    assert abs(tf.linalg.inv(a).numpy() @ a - one).max() < 1e-5
    assert abs(tf.linalg.inv(a, adjoint=True).numpy() @ adjoint - one).max() < 1e-5
    assert abs(tf.linalg.solve(a, a[..., :3]).numpy() - one[:, :3]).max() < 1e-5
    factor = tf.linalg.cholesky(a @ adjoint).numpy()
    assert abs(factor @ factor.conj().swapaxes(-1, -2) - a @ adjoint).max() < 1e-2
    assert factor.dtype == dtype
    assert not np.triu(factor, 1).any()


def test_of_many_matrices_those_without_a_factor_are_nan() -> None:
    one = np.eye(120, dtype=np.float32)
    found = tf.linalg.cholesky(np.stack([one, -one])).numpy()
    assert np.array_equal(found[0], one)
    assert np.array_equal(np.isnan(found[1]), np.tri(120, dtype=bool))


def test_a_function_leaves_many_small_matrices_to_numpy() -> None:
    @tf.function
    def inverse(x):
        return tf.linalg.inv(x * 1.0)

    a = matrices("float32")
    for _ in range(4):
        assert abs(inverse(a).numpy() @ a - np.eye(90)).max() < 1e-5
    singular = tf.zeros_like(a)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be invertible"):
        inverse(singular)
