"""Functions of matrices where NumPy would raise, or a shortcut would hide a mistake."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runnel as tf

_NAN = np.array([[[1.0, np.nan], [2.0, 3.0]], [[2.0, 0.0], [0.0, 1.0]]], np.float32)


def test_what_is_no_number_has_no_singular_values_and_harms_no_other_matrix() -> None:
    values = tf.linalg.svd(_NAN, compute_uv=False).numpy()
    assert np.isnan(values[0]).all()
    np.testing.assert_allclose(values[1], [2.0, 1.0])
    _, u, v = tf.linalg.svd(_NAN)
    assert np.isnan(u[0]).all() and np.isfinite(v[1]).all()


def test_the_inverse_of_what_is_no_number_is_none_either() -> None:
    found = tf.linalg.pinv(_NAN).numpy()
    assert np.isnan(found[0]).all()
    np.testing.assert_allclose(found[1], [[0.5, 0.0], [0.0, 1.0]], atol=1e-6)
    assert tf.linalg.matrix_rank(_NAN).numpy().tolist() == [0, 2]


def test_a_permutation_names_every_row_once() -> None:
    factors = np.array([[4.0, 3.0], [0.25, 1.25]], np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="name every row once"):
        tf.linalg.lu_reconstruct(factors, [1, 1])


@pytest.mark.parametrize("function", [tf.linalg.pinv, tf.linalg.matrix_rank])
def test_arguments_of_unknown_shape_are_validated_when_the_function_runs(function: Any) -> None:
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def run(a: tf.Tensor) -> tf.Tensor:
        return function(a, validate_args=True)

    np.testing.assert_allclose(run(np.eye(2, dtype=np.float32)), function(tf.eye(2)), atol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have rank 2 at least"):
        run(np.ones(2, np.float32))


def test_factors_of_unknown_shape_are_validated_when_the_function_runs() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None], tf.int32)])
    def run(factors: tf.Tensor, order: tf.Tensor) -> tf.Tensor:
        return tf.linalg.lu_reconstruct(factors, order, validate_args=True)

    np.testing.assert_allclose(run(*tf.linalg.lu([[1.0, 2.0], [4.0, 3.0]])), [[1, 2], [4, 3]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="square matrices"):
        run(np.ones((2, 3), np.float32), [0, 1])


@pytest.mark.parametrize("traced", [False, True])
def test_elimination_without_pivoting_stops_at_a_zero(traced: bool) -> None:
    diagonals = np.array([[1, 1, 0], [0, 2, 3], [0, 1, 1]], np.float32)  # the first pivot is 0
    rhs = np.ones((3, 1), np.float32)

    def solve(partial_pivoting: bool) -> tf.Tensor:
        return tf.linalg.tridiagonal_solve(
            tf.constant(diagonals), tf.constant(rhs), partial_pivoting=partial_pivoting
        )

    run = tf.function(solve, jit_compile=True) if traced else solve
    np.testing.assert_allclose(run(True), [[-1.0], [1.0], [0.0]], atol=1e-6)
    assert np.isnan(run(False)).all()


@pytest.mark.parametrize("traced", [False, True])
def test_elimination_without_pivoting_solves_what_needs_none(traced: bool) -> None:
    random = np.random.default_rng(0)
    diagonals = random.standard_normal((2, 3, 5)).astype(np.float64) + [[[0], [5], [0]]]
    rhs = random.standard_normal((2, 5, 2))

    def solve() -> tf.Tensor:
        return tf.linalg.tridiagonal_solve(
            tf.constant(diagonals), tf.constant(rhs), partial_pivoting=False
        )

    found = tf.function(solve, jit_compile=True)() if traced else solve()
    back = tf.linalg.tridiagonal_matmul(tf.constant(diagonals), found)
    np.testing.assert_allclose(back, rhs, atol=1e-12)


def test_every_tolerance_of_eigenvalues_is_met() -> None:
    exact = tf.linalg.eigh_tridiagonal([1.0, 2.0, 3.0], [0.5, 0.5])
    loose = tf.linalg.eigh_tridiagonal([1.0, 2.0, 3.0], [0.5, 0.5], tol=0.1)
    np.testing.assert_allclose(loose, exact, atol=0.1)
    with pytest.raises(ValueError, match="rank 0"):
        tf.linalg.eigh_tridiagonal([1.0, 2.0, 3.0], [0.5, 0.5], tol=[0.1, 0.2])
