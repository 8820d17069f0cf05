"""Decompositions and solvers: what the tables of samples cannot say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.ops.slopes import assert_slopes, random

linalg = tf.linalg


def regular(*shape: int) -> np.ndarray:
    return random(*shape) + 4 * np.eye(shape[-1])


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4), (2, 3, 3)])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_factors_multiply_to_the_matrix(shape: tuple[int, ...], dtype: str) -> None:
    x = random(*shape, dtype=dtype)
    for full in (False, True):
        s, u, v = linalg.svd(x, full_matrices=full)
        middle = linalg.diag(tf.cast(s, u.dtype), num_rows=u.shape[-1], num_cols=v.shape[-1])
        again = tf.matmul(tf.matmul(u, middle), v, adjoint_b=True)
        np.testing.assert_allclose(again.numpy(), x, atol=1e-9)
        q, r = linalg.qr(x, full_matrices=full)
        np.testing.assert_allclose(tf.matmul(q, r).numpy(), x, atol=1e-9)
    if shape[-1] == shape[-2]:
        np.testing.assert_allclose(linalg.lu_reconstruct(*linalg.lu(x)).numpy(), x, atol=1e-9)
        e, w = linalg.eig(x)
        np.testing.assert_allclose(
            tf.matmul(tf.cast(x, w.dtype), w), w * e[..., None, :], atol=1e-9
        )


def test_eigenvectors_of_hermitian_matrices() -> None:
    x = random(2, 3, 3)
    x = x + x.conj().swapaxes(-1, -2)
    e, v = linalg.eigh(x)
    np.testing.assert_allclose(tf.matmul(x, v).numpy(), (v * e[..., None, :]).numpy(), atol=1e-9)


def _symmetrized(fn: Any) -> Any:
    return lambda x: fn(x + linalg.adjoint(x))


def _matrix_exponential(x: Any) -> Any:
    e, v = linalg.eigh(x)
    return tf.matmul(v * tf.exp(e)[..., None, :], v, adjoint_b=True)


def _polar(x: Any) -> Any:
    _, u, v = linalg.svd(x)
    return tf.matmul(u, v, adjoint_b=True)


def _gram_factor(x: Any) -> Any:
    return linalg.cholesky(tf.matmul(x, x, adjoint_b=True) + tf.eye(3, dtype=x.dtype))


COMPLEX_SLOPES = {
    "inv": linalg.inv,
    "inv of the adjoint": lambda x: linalg.inv(x, adjoint=True),
    "det": linalg.det,
    "sqrtm": linalg.sqrtm,
    "expm": linalg.expm,
    "qr": linalg.qr,
    "eigvals": linalg.eigvals,
    "singular values": lambda x: linalg.svd(x, compute_uv=False),
    "singular vectors": _polar,
    "eigenvalues": _symmetrized(linalg.eigvalsh),
    "eigenvectors": _symmetrized(_matrix_exponential),
    "cholesky": _gram_factor,
    "pinv": lambda x: linalg.pinv(x[:, :2]),
    "lstsq": lambda x: linalg.lstsq(x[:, :2], x, l2_regularizer=0.1),
    "lstsq of wide matrices": lambda x: linalg.lstsq(x[:2], x[:2], l2_regularizer=0.1),
    "solve": lambda x: linalg.solve(x, x[:, :1], adjoint=True),
    "triangular_solve": lambda x: linalg.triangular_solve(x, x[:, :1], lower=False, adjoint=True),
    "tridiagonal_solve": lambda x: linalg.tridiagonal_solve(x, x, diagonals_format="matrix"),
    "banded_triangular_solve": lambda x: linalg.banded_triangular_solve(
        x[:2] + 9.0, x, False, True
    ),
}


@pytest.mark.parametrize("name", COMPLEX_SLOPES)
def test_gradients_of_complex_matrices(name: str) -> None:
    assert_slopes(COMPLEX_SLOPES[name], regular(3, 3))


def test_a_matrix_that_is_not_positive_definite_has_a_factor_of_nan() -> None:
    good, bad = np.eye(2), -np.eye(2)
    found = linalg.cholesky(np.stack([good, bad])).numpy()
    assert np.array_equal(found[0], good)
    assert np.isnan(found[1][np.tril_indices(2)]).all()


def test_errors_name_the_matrix_and_its_fault() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="square matrices, got shape"):
        linalg.inv(tf.ones([2, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="invertible"):
        linalg.inv(tf.zeros([2, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 2 at least"):
        linalg.cholesky(tf.ones([2]))


def test_gradients_that_are_not_defined_say_so() -> None:
    x = tf.constant(random(5, 3, dtype="float64"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        _, u, _ = linalg.svd(x, full_matrices=True)
    with pytest.raises(NotImplementedError, match="full_matrices"):
        tape.gradient(u, x)
