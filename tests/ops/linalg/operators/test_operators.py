"""Every operator against its dense matrix: whatever it can answer, the matrix answers the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.ops.slopes import assert_slopes, random

linalg = tf.linalg
REAL, COMPLEX = "float64", "complex128"


def regular(*shape: int, seed: int = 0, dtype: str = REAL) -> np.ndarray:
    return random(*shape, seed=seed, dtype=dtype) + 4 * np.eye(shape[-1])


def definite(*shape: int, seed: int = 0, dtype: str = REAL) -> np.ndarray:
    x = random(*shape, seed=seed, dtype=dtype)
    y = x @ x.conj().swapaxes(-1, -2) + 2 * np.eye(shape[-1])
    return (y + y.conj().swapaxes(-1, -2)) / 2  # to the last bit, whatever BLAS did


def full(*shape: int, seed: int = 0, dtype: str = REAL, **hints: bool) -> Any:
    return linalg.LinearOperatorFullMatrix(regular(*shape, seed=seed, dtype=dtype), **hints)


def positive(*shape: int, seed: int = 0) -> np.ndarray:
    return np.abs(random(*shape, seed=seed, dtype=REAL)) + 0.5


SPD = {"is_self_adjoint": True, "is_positive_definite": True}

OPERATORS: dict[str, Callable[[], Any]] = {
    "full": lambda: full(3, 3),
    "full batch": lambda: full(2, 3, 3),
    "full complex": lambda: full(3, 3, dtype=COMPLEX),
    "full definite": lambda: linalg.LinearOperatorFullMatrix(definite(2, 3, 3), **SPD),
    "full complex definite": lambda: linalg.LinearOperatorFullMatrix(
        definite(3, 3, dtype=COMPLEX), **SPD
    ),
    "diag": lambda: linalg.LinearOperatorDiag(random(2, 3, dtype=REAL)),
    "diag complex": lambda: linalg.LinearOperatorDiag(random(3)),
    "diag definite": lambda: linalg.LinearOperatorDiag(positive(3), **SPD),
    "lower triangular": lambda: linalg.LinearOperatorLowerTriangular(regular(2, 3, 3)),
    "lower triangular complex": lambda: linalg.LinearOperatorLowerTriangular(
        regular(3, 3, dtype=COMPLEX)
    ),
    "identity": lambda: linalg.LinearOperatorIdentity(3, batch_shape=[2], dtype=REAL),
    "scaled identity": lambda: linalg.LinearOperatorScaledIdentity(3, random(2, dtype=REAL)),
    "scaled identity complex": lambda: linalg.LinearOperatorScaledIdentity(3, random(2)),
    "scaled identity definite": lambda: linalg.LinearOperatorScaledIdentity(
        3, positive(2), is_positive_definite=True
    ),
    "adjoint": lambda: linalg.LinearOperatorAdjoint(full(3, 3, dtype=COMPLEX)),
    "inversion": lambda: linalg.LinearOperatorInversion(full(2, 3, 3)),
    "composition": lambda: linalg.LinearOperatorComposition([full(3, 3), full(2, 3, 3, seed=1)]),
    "kronecker": lambda: linalg.LinearOperatorKronecker(
        [full(2, 2), full(2, 3, 3), full(2, 2, seed=1)]
    ),
    "kronecker complex": lambda: linalg.LinearOperatorKronecker(
        [full(2, 2, dtype=COMPLEX), full(3, 3, dtype=COMPLEX)]
    ),
    "kronecker definite": lambda: linalg.LinearOperatorKronecker(
        [linalg.LinearOperatorFullMatrix(definite(n, n), **SPD) for n in (2, 3)]
    ),
    "block diag": lambda: linalg.LinearOperatorBlockDiag([full(2, 2), full(2, 3, 3)]),
    "block diag definite": lambda: linalg.LinearOperatorBlockDiag(
        [linalg.LinearOperatorFullMatrix(definite(n, n), **SPD) for n in (2, 3)]
    ),
    "block lower triangular": lambda: linalg.LinearOperatorBlockLowerTriangular(
        [
            [full(2, 2)],
            [linalg.LinearOperatorFullMatrix(random(2, 3, 2, dtype=REAL)), full(3, 3)],
        ]
    ),
    "low rank update": lambda: linalg.LinearOperatorLowRankUpdate(
        full(4, 4), random(4, 2, dtype=REAL), positive(2), random(2, 4, 2, seed=1, dtype=REAL)
    ),
    "low rank update complex": lambda: linalg.LinearOperatorLowRankUpdate(
        full(4, 4, dtype=COMPLEX), random(4, 2), random(2), random(4, 2, seed=1)
    ),
    "low rank update definite": lambda: linalg.LinearOperatorLowRankUpdate(
        linalg.LinearOperatorDiag(positive(4), **SPD), random(4, 2, dtype=REAL)
    ),
    "householder": lambda: linalg.LinearOperatorHouseholder(random(2, 3, dtype=REAL)),
    "householder complex": lambda: linalg.LinearOperatorHouseholder(random(3)),
    "permutation": lambda: linalg.LinearOperatorPermutation([2, 0, 3, 1], dtype=REAL),
    "permutation batch": lambda: linalg.LinearOperatorPermutation(
        [[2, 0, 1], [1, 0, 2]], dtype=REAL
    ),
    "toeplitz": lambda: linalg.LinearOperatorToeplitz([5.0, 1.0, 2.0], [5.0, 3.0, 4.0]),
    "toeplitz double": lambda: linalg.LinearOperatorToeplitz(
        positive(2, 3) + 3, np.concatenate([positive(2, 3)[:, :1] + 3, positive(2, 2)], axis=1)
    ),
    "toeplitz complex": lambda: linalg.LinearOperatorToeplitz(random(3), random(3)),
    "tridiag": lambda: linalg.LinearOperatorTridiag(
        random(2, 3, 4, dtype=REAL) + np.array([[0.0], [5.0], [0.0]])
    ),
    "tridiag complex": lambda: linalg.LinearOperatorTridiag(
        random(3, 4) + np.array([[0.0], [5.0], [0.0]])
    ),
    "tridiag matrix": lambda: linalg.LinearOperatorTridiag(
        np.triu(np.tril(regular(4, 4), 1), -1), diagonals_format="matrix"
    ),
    "tridiag sequence": lambda: linalg.LinearOperatorTridiag(
        [positive(4), positive(4) + 5, positive(4)], diagonals_format="sequence"
    ),
    "circulant": lambda: linalg.LinearOperatorCirculant(random(5), COMPLEX),
    "circulant real": lambda: linalg.LinearOperatorCirculant(
        np.fft.fft(random(2, 5, dtype=REAL)), REAL
    ),
    "circulant definite": lambda: linalg.LinearOperatorCirculant(
        positive(4), COMPLEX, is_positive_definite=True
    ),
    "circulant 2d": lambda: linalg.LinearOperatorCirculant2D(random(2, 2, 3), COMPLEX),
    "circulant 3d": lambda: linalg.LinearOperatorCirculant3D(random(2, 2, 3), COMPLEX),
    "zeros": lambda: linalg.LinearOperatorZeros(3, batch_shape=[2], dtype=REAL),
    "full wide": lambda: linalg.LinearOperatorFullMatrix(random(2, 3, 4, dtype=REAL)),
    "zeros wide": lambda: linalg.LinearOperatorZeros(
        3, 4, dtype=REAL, is_square=False, is_self_adjoint=False
    ),
    "block diag wide": lambda: linalg.LinearOperatorBlockDiag(
        [full(2, 2), linalg.LinearOperatorFullMatrix(random(3, 4, dtype=REAL))]
    ),
}
SINGULAR = ("zeros", "wide")
REGULAR = [name for name in OPERATORS if not any(word in name for word in SINGULAR)]


@pytest.fixture(params=OPERATORS)
def operator(request: pytest.FixtureRequest) -> Any:
    return OPERATORS[request.param]()


@pytest.fixture(params=REGULAR)
def invertible(request: pytest.FixtureRequest) -> Any:
    return OPERATORS[request.param]()


def adjoint(x: np.ndarray) -> np.ndarray:
    return x.conj().swapaxes(-1, -2)


def assert_same(found: Any, wanted: Any, tolerance: float = 1e-7) -> None:
    found = found.numpy()
    assert found.shape == np.shape(wanted)
    tolerance = 1e-4 if found.dtype in (np.float32, np.complex64) else tolerance
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def argument(operator: Any, dimension: Any, columns: int = 2) -> np.ndarray:
    dtype = operator.dtype.name
    wide = random(dimension.value, columns, seed=3, dtype=COMPLEX if "complex" in dtype else REAL)
    return wide.astype(dtype)


def test_shapes_agree(operator: Any) -> None:
    dense = operator.to_dense().numpy()
    assert operator.shape == dense.shape
    assert operator.shape_tensor().numpy().tolist() == list(dense.shape)
    assert operator.batch_shape == dense.shape[:-2]
    assert operator.batch_shape_tensor().numpy().tolist() == list(dense.shape[:-2])
    assert operator.tensor_rank == operator.tensor_rank_tensor().numpy() == dense.ndim
    assert operator.range_dimension == operator.range_dimension_tensor().numpy() == dense.shape[-2]
    assert (
        operator.domain_dimension == operator.domain_dimension_tensor().numpy() == dense.shape[-1]
    )
    assert dense.dtype == operator.dtype.as_numpy_dtype


def test_products_agree(operator: Any) -> None:
    dense = operator.to_dense().numpy()
    x, y = (
        argument(operator, operator.domain_dimension),
        argument(operator, operator.range_dimension),
    )
    assert_same(operator.matmul(x), dense @ x)
    assert_same(operator @ x, dense @ x)
    assert_same(operator.matmul(adjoint(x), adjoint_arg=True), dense @ x)
    assert_same(operator.matmul(y, adjoint=True), adjoint(dense) @ y)
    assert_same(operator.matvec(x[:, 0]), dense @ x[:, 0])
    assert_same(operator.matvec(y[:, 0], adjoint=True), adjoint(dense) @ y[:, 0])


def test_products_with_a_larger_batch_agree(operator: Any) -> None:
    dense = operator.to_dense().numpy()
    x = argument(operator, operator.domain_dimension, 4).T.reshape(2, 1, -1, 2)
    assert_same(operator.matmul(x), dense @ x)


def test_solutions_agree(invertible: Any) -> None:
    dense = invertible.to_dense().numpy()
    x = argument(invertible, invertible.domain_dimension)
    assert_same(invertible.solve(x), np.linalg.solve(dense, x))
    assert_same(invertible.solve(adjoint(x), adjoint_arg=True), np.linalg.solve(dense, x))
    assert_same(invertible.solve(x, adjoint=True), np.linalg.solve(adjoint(dense), x))
    assert_same(invertible.solvevec(x[:, 0]), np.linalg.solve(dense, x)[..., 0])


def test_scalars_agree(invertible: Any) -> None:
    dense = invertible.to_dense().numpy()
    assert_same(invertible.determinant(), np.linalg.det(dense))
    assert_same(invertible.log_abs_determinant(), np.linalg.slogdet(dense)[1])
    assert_same(invertible.cond(), np.linalg.cond(dense), 1e-6)


def test_diagonals_agree(operator: Any) -> None:
    dense = operator.to_dense().numpy()
    assert_same(operator.diag_part(), np.diagonal(dense, axis1=-2, axis2=-1))
    assert_same(operator.trace(), np.trace(dense, axis1=-2, axis2=-1))


def test_sums_agree(operator: Any) -> None:
    dense = operator.to_dense().numpy()
    x = np.arange(np.prod(dense.shape[-2:])).reshape(dense.shape[-2:]).astype(dense.dtype)
    assert_same(operator.add_to_tensor(x), dense + x)


def test_eigenvalues_agree(operator: Any) -> None:
    if not operator.is_self_adjoint:
        with pytest.raises(NotImplementedError, match="self-adjoint"):
            operator.eigvals()
        return
    found = np.sort(operator.eigvals().numpy().real, axis=-1)
    np.testing.assert_allclose(found, np.linalg.eigvalsh(operator.to_dense().numpy()), atol=1e-7)


def test_adjoints_agree(operator: Any) -> None:
    assert_same(operator.adjoint().to_dense(), adjoint(operator.to_dense().numpy()))
    assert_same(operator.H.to_dense(), adjoint(operator.to_dense().numpy()))


def test_inverses_agree(invertible: Any) -> None:
    dense = np.linalg.inv(invertible.to_dense().numpy())
    assert_same(invertible.inverse().to_dense(), dense)
    assert_same(invertible.inverse().inverse().to_dense(), np.linalg.inv(dense))


def test_cholesky_factors_agree(operator: Any) -> None:
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        with pytest.raises(ValueError, match="positive definite"):
            operator.cholesky()
        return
    assert_same(operator.cholesky().to_dense(), np.linalg.cholesky(operator.to_dense().numpy()))


def test_operators_multiply_and_solve(invertible: Any) -> None:
    dense = invertible.to_dense().numpy()
    size = dense.shape[-1]
    others = [
        linalg.LinearOperatorFullMatrix(regular(size, size).astype(invertible.dtype.name)),
        linalg.LinearOperatorDiag(positive(size).astype(invertible.dtype.name)),
        linalg.LinearOperatorIdentity(size, dtype=invertible.dtype),
        linalg.LinearOperatorScaledIdentity(size, np.array(2.0, invertible.dtype.name)),
        linalg.LinearOperatorLowerTriangular(regular(size, size).astype(invertible.dtype.name)),
        invertible,
    ]
    for other in others:
        matrix = other.to_dense().numpy()
        batch = np.zeros_like(dense)  # the identity leaves the batch of the other as it is
        assert_same(batch + invertible.matmul(other).to_dense(), dense @ matrix)
        assert_same(batch + other.matmul(invertible).to_dense(), matrix @ dense)
        assert_same(
            batch + invertible.solve(other).to_dense(), np.linalg.solve(dense, matrix + batch)
        )


def test_slices_of_the_batch_agree(operator: Any) -> None:
    if operator.batch_shape.rank != 1:
        return
    if type(operator).__name__ in ("LinearOperatorZeros",):
        with pytest.raises(NotImplementedError):
            operator[0]
        return
    dense = operator.to_dense().numpy()
    assert_same(operator[1:].to_dense(), dense[1:])
    assert_same(operator[..., tf.newaxis].to_dense(), dense[:, None])


def test_assertions_hold(invertible: Any) -> None:
    invertible.assert_non_singular()
    if invertible.is_positive_definite:
        invertible.assert_positive_definite()
        invertible.assert_self_adjoint()


@pytest.mark.parametrize("shape", [[None, 2], None], ids=["of any rows", "of any rank"])
def test_products_work_in_graphs(operator: Any, shape: Any) -> None:
    x = argument(operator, operator.domain_dimension)
    signature = [tf.TensorSpec(shape, x.dtype)]
    traced = tf.function(lambda x: operator.matmul(x), input_signature=signature)
    assert_same(traced(tf.constant(x)), operator.matmul(x).numpy())


def test_false_assertions_raise() -> None:
    for operator in (
        linalg.LinearOperatorFullMatrix([[1.0, 1.0], [1.0, 1.0]]),
        linalg.LinearOperatorDiag([1.0, 0.0]),
        linalg.LinearOperatorLowerTriangular([[1.0, 1.0], [1.0, 0.0]]),
        linalg.LinearOperatorScaledIdentity(2, 0.0),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="singular"):
            operator.assert_non_singular()
    with pytest.raises(tf.errors.InvalidArgumentError, match="adjoint"):
        linalg.LinearOperatorFullMatrix([[1.0, 2.0], [1.0, 1.0]]).assert_self_adjoint()
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive definite"):
        linalg.LinearOperatorDiag([1.0, -1.0]).assert_positive_definite()


def test_hints_that_contradict_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be singular"):
        full(2, 2, is_positive_definite=True, is_non_singular=False)
    with pytest.raises(ValueError, match="must be square"):
        full(2, 2, is_non_singular=True, is_square=False)
    with pytest.raises(ValueError, match="self-adjoint"):
        linalg.LinearOperatorDiag([1.0], is_self_adjoint=False)
    with pytest.raises(ValueError, match="singular"):
        linalg.LinearOperatorZeros(2, is_non_singular=True)


def test_arguments_of_other_dtypes_or_sizes_are_refused() -> None:
    operator = full(2, 2)
    with pytest.raises(TypeError, match="float64"):
        operator.matmul(tf.ones([2, 2]))
    with pytest.raises(ValueError, match="size 2"):
        operator.matmul(np.ones((3, 2)))
    with pytest.raises(ValueError, match="rows"):
        operator.matmul(full(3, 3))


def test_operators_that_are_singular_or_not_square_cannot_be_solved() -> None:
    wide = linalg.LinearOperatorFullMatrix(np.ones((2, 3)))
    for call in (wide.solve, linalg.LinearOperatorZeros(2, dtype=REAL).solve):
        with pytest.raises(NotImplementedError, match="wants"):
            call(np.ones((2, 1)))
    with pytest.raises(NotImplementedError, match="square"):
        wide.determinant()
    with pytest.raises(ValueError, match="square"):
        wide.inverse()


def test_blocks_may_be_given_in_a_list() -> None:
    operator = linalg.LinearOperatorBlockDiag([full(2, 2), full(3, 3)])
    x = random(5, 2, dtype=REAL)
    parts = [tf.constant(x[:2]), tf.constant(x[2:])]
    for what in ("matmul", "solve"):
        found = getattr(operator, what)(parts)
        assert isinstance(found, list)
        assert_same(tf.concat(found, 0), getattr(operator, what)(x).numpy())
    found = operator.matvec([x[:2, 0], x[2:, 0]])
    assert_same(tf.concat(found, 0), operator.matvec(x[:, 0]).numpy())


def test_products_of_like_operators_stay_simple() -> None:
    d, i = linalg.LinearOperatorDiag([1.0, 2.0]), linalg.LinearOperatorIdentity(2)
    assert type(d @ d) is type(d)
    assert (d @ i) is d
    assert (i @ d) is d
    assert type(full(2, 2) @ full(2, 2)) is linalg.LinearOperatorComposition
    circulant = linalg.LinearOperatorCirculant(tf.ones([3], tf.complex64))
    assert type(circulant @ circulant) is linalg.LinearOperatorCirculant


def test_a_user_may_write_an_operator() -> None:
    class Twice(linalg.LinearOperator):
        def _shape(self) -> tf.TensorShape:
            return tf.TensorShape([3, 3])

        def _shape_tensor(self) -> Any:
            return tf.constant([3, 3])

        def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
            return 2.0 * (tf.linalg.adjoint(x) if adjoint_arg else x)

    operator = Twice(tf.float32, is_self_adjoint=True)
    assert_same(operator.to_dense(), 2 * np.eye(3))
    assert_same(operator.determinant(), 8.0)
    assert_same(operator.solvevec([2.0, 4.0, 6.0]), [1.0, 2.0, 3.0])


def test_gradients_flow_to_the_parameters() -> None:
    x = random(3, 2, dtype=REAL)
    assert_slopes(lambda d: linalg.LinearOperatorDiag(d).solve(x), positive(3))
    assert_slopes(lambda m: linalg.LinearOperatorLowerTriangular(m).solve(x), regular(3, 3))
    assert_slopes(lambda s: linalg.LinearOperatorCirculant(s, COMPLEX).matmul(x + 0j), random(3))
    assert_slopes(
        lambda c, r: linalg.LinearOperatorToeplitz(c, r).matmul(x), positive(3), positive(3)
    )


def test_an_operator_follows_its_variable() -> None:
    variable = tf.Variable([1.0, 2.0])
    operator = linalg.LinearOperatorDiag(variable)
    variable.assign([3.0, 4.0])
    assert_same(operator.determinant(), 12.0)
    assert operator.trainable_variables == (variable,)
    assert linalg.LinearOperatorAdjoint(operator).trainable_variables == (variable,)


def test_conjugate_gradient_solves() -> None:
    matrix = definite(4, 4)
    operator = linalg.LinearOperatorFullMatrix(matrix, **SPD)
    b = random(4, dtype=REAL)
    found = linalg.experimental.conjugate_gradient(operator, b, tol=1e-10)
    assert_same(found.x, np.linalg.solve(matrix, b), 1e-6)
    scale = linalg.LinearOperatorDiag(1 / np.diag(matrix), **SPD)
    found = linalg.experimental.conjugate_gradient(operator, b, scale, tol=1e-10)
    assert_same(found.x, np.linalg.solve(matrix, b), 1e-6)
    with pytest.raises(ValueError, match="positive definite"):
        linalg.experimental.conjugate_gradient(full(4, 4), b)
