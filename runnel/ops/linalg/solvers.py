"""Linear equations: inverses, determinants, and solutions by the form of the matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.op.context import state
from runnel.core.values import dtypes
from runnel.core.values.dtypes import bfloat16, float16
from runnel.core.values.errors import bad_dtype, bad_shape
from runnel.core.values.shape import broadcast_shapes
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.linalg import lapack
from runnel.ops.array.diagonals import LAST, band_part
from runnel.ops.linalg.decompositions import MATRICES, check_matrix, identity_like, square_shape
from runnel.ops.linalg.matmul import conj, matmul
from runnel.ops.linalg.matrices import adjoint as adjoint_of


@op("MatrixInverse", "input: T -> output: T", T=MATRICES, shape=square_shape, host=lapack.crowded)
def _inverse(xp: Namespace, input: Array, *, adjoint: bool = False) -> Array:
    found = lapack.inverse(xp, input)
    return lapack.adjoint(xp, found) if adjoint else found


@RegisterGradient("MatrixInverse", needs="outputs")
def _inverse_grad(op: Any, dy: Tensor) -> Gradients:
    y = op.outputs[0]
    if op.attrs["adjoint"]:
        return -matmul(y, matmul(dy, y, adjoint_a=True))
    return -matmul(y, matmul(dy, y, adjoint_b=True), adjoint_a=True)


def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of square matrices, or of their adjoints.

    >>> tf.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    return raw_ops.MatrixInverse(input, adjoint=adjoint, name=name)


def _scalar_per_matrix(input: Spec, *, op_name: str, **attrs: Any) -> Dims:
    dims = square_shape(input, op_name=op_name)
    return None if dims is None else dims[:-2]


@op("MatrixDeterminant", "input: T -> output: T", T=MATRICES, shape=_scalar_per_matrix)
def _determinant(xp: Namespace, input: Array) -> Array:
    return _det(xp, input)


@lapack.widened
def _det(xp: Namespace, a: Array) -> Array:
    return xp.asarray(xp.linalg.det(a), dtype=a.dtype)


@RegisterGradient("MatrixDeterminant", needs="input outputs")
def _determinant_grad(op: Any, dy: Tensor) -> Gradients:
    inverse = raw_ops.MatrixInverse(op.inputs[0], adjoint=True)
    return _per_matrix(dy * conj(op.outputs[0])) * inverse


def _per_matrix(x: Tensor) -> Tensor:
    """`x` with two axes of size 1 added at its end."""
    return raw_ops.ExpandDims(raw_ops.ExpandDims(x, np.int32(-1)), np.int32(-1))


def det(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinant of square matrices.

    >>> tf.linalg.det([[2.0, 1.0], [1.0, 3.0]]).numpy().round(4)
    np.float32(5.0)
    """
    return raw_ops.MatrixDeterminant(input, name=name)


class LogMatrixDeterminant(NamedTuple):
    """What `tf.linalg.slogdet` returns."""

    sign: Tensor
    log_abs_determinant: Tensor


def _two_scalars(input: Spec) -> list[Dims]:
    return [_scalar_per_matrix(input, op_name="LogMatrixDeterminant")] * 2


@op(
    "LogMatrixDeterminant",
    "input: T -> sign: T, log_abs_determinant: T",
    T=MATRICES,
    shape=_two_scalars,
)
def _log_determinant(xp: Namespace, input: Array) -> tuple[Array, Array]:
    return _slogdet(xp, input)


@lapack.widened
def _slogdet(xp: Namespace, a: Array) -> tuple[Array, Array]:
    sign, size = xp.linalg.slogdet(a)
    return xp.asarray(sign, dtype=a.dtype), xp.asarray(size).astype(a.dtype)


@RegisterGradient("LogMatrixDeterminant", needs="input")
def _log_determinant_grad(op: Any, _: Tensor, dy: Tensor) -> Gradients:
    return _per_matrix(dy) * raw_ops.MatrixInverse(op.inputs[0], adjoint=True)


def slogdet(input: TensorLike, name: str | None = None) -> LogMatrixDeterminant:
    """The sign of the determinant, and the logarithm of its size.

    >>> sign, log = tf.linalg.slogdet([[2.0, 0.0], [0.0, -3.0]])
    >>> sign.numpy(), log.numpy().round(4)
    (np.float32(-1.0), np.float32(1.7918))
    """
    return LogMatrixDeterminant(*raw_ops.LogMatrixDeterminant(input, name=name))


@scoped("logdet")
def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of positive definite matrices.

    >>> tf.linalg.logdet([[2.0, 0.0], [0.0, 3.0]]).numpy().round(4)
    np.float32(1.7918)
    """
    factor = raw_ops.Cholesky(matrix)
    zero = np.zeros((), factor.dtype.np_dtype)
    diagonal = raw_ops.MatrixDiagPartV3(factor, np.int32(0), zero)
    if diagonal.dtype.is_complex:
        diagonal = raw_ops.Real(diagonal, Tout=diagonal.dtype.real_dtype)
    return 2.0 * raw_ops.Sum(raw_ops.Log(diagonal), LAST, name=name)


def _solve_shape(matrix: Spec, rhs: Spec, *, op_name: str, **attrs: Any) -> Dims:
    """For a square matrix and right-hand sides with the same batch dimensions."""
    check_matrix(op_name, matrix, name="matrix")
    check_matrix(op_name, rhs, square=False, name="rhs")
    if matrix.dims is None or rhs.dims is None:
        return _open_rank(matrix, rhs)
    if len(matrix.dims) != len(rhs.dims):
        raise bad_shape(op_name, want=f"have the rank of a matrix of {matrix.shape}", rhs=rhs)
    want = (*matrix.dims[:-1], None)
    if not rhs.shape.is_compatible_with(want):
        raise bad_shape(op_name, want=f"follow a matrix of {matrix.shape}", rhs=rhs)
    return tuple(b if a is None else a for a, b in zip(want, rhs.dims))


def _open_rank(matrix: Spec, rhs: Spec) -> Dims:
    """What either shape tells of the solutions' rank."""
    known = matrix.dims or rhs.dims
    return None if known is None else (None,) * len(known)


def _check_solve(op_name: str, matrix: Array, rhs: Array) -> None:
    if matrix.ndim != rhs.ndim or matrix.shape[:-1] != rhs.shape[:-1] or rhs.ndim < 2:
        raise ValueError("the shapes of matrix and right-hand side do not fit")
    if matrix.shape[-1] != matrix.shape[-2]:
        raise ValueError("the matrix must be square")


@op(
    "MatrixSolve",
    "matrix: T, rhs: T -> output: T",
    T=MATRICES,
    shape=_solve_shape,
    host=lapack.crowded,
)
def _solve(xp: Namespace, matrix: Array, rhs: Array, *, adjoint: bool = False) -> Array:
    _check_solve("MatrixSolve", matrix, rhs)
    return lapack.solve(xp, lapack.adjoint(xp, matrix) if adjoint else matrix, rhs)


@RegisterGradient("MatrixSolve", needs="matrix outputs")
def _solve_grad(op: Any, dy: Tensor) -> Gradients:
    matrix, y, flipped = op.inputs[0], op.outputs[0], op.attrs["adjoint"]
    drhs = raw_ops.MatrixSolve(matrix, dy, adjoint=not flipped)
    first, second = (y, drhs) if flipped else (drhs, y)
    return -matmul(first, second, adjoint_b=True), drhs


def solve(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """`x` with `matrix x = rhs`, for square matrices (or their adjoints) and columns of `rhs`.

    >>> tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[1.0], [1.0]]).numpy()
    array([[0.5 ],
           [0.25]], dtype=float32)
    """
    return raw_ops.MatrixSolve(matrix, rhs, adjoint=adjoint, name=name)


def _triangular_shape(matrix: Spec, rhs: Spec, *, op_name: str, **attrs: Any) -> Dims:
    check_matrix(op_name, matrix, name="matrix")
    check_matrix(op_name, rhs, square=False, name="rhs")
    if matrix.dims is None or rhs.dims is None:
        return None
    if None not in (matrix.dims[-2], rhs.dims[-2]) and matrix.dims[-2] != rhs.dims[-2]:
        raise bad_shape(op_name, want=f"follow a matrix of {matrix.shape}", rhs=rhs)
    try:
        batch = broadcast_shapes(matrix.dims[:-2], rhs.dims[:-2])
    except ValueError:
        raise bad_shape(op_name, want=f"follow a matrix of {matrix.shape}", rhs=rhs) from None
    side = matrix.dims[-2] if rhs.dims[-2] is None else rhs.dims[-2]
    return None if batch is None else (*batch, side, rhs.dims[-1])


_triangular_shape.broadcasts = True  # type: ignore[attr-defined]


@op(
    "MatrixTriangularSolve",
    "matrix: T, rhs: T -> output: T",
    T=MATRICES | {bfloat16},
    shape=_triangular_shape,
    host=lapack.crowded,
)
def _triangular_solve(
    xp: Namespace, matrix: Array, rhs: Array, *, lower: bool = True, adjoint: bool = False
) -> Array:
    if matrix.ndim < 2 or rhs.ndim < 2 or matrix.shape[-2:] != rhs.shape[-2:-1] * 2:
        raise ValueError("the shapes of matrix and right-hand side do not fit")
    return lapack.triangular_solve(xp, matrix, rhs, lower=lower, adjoint=adjoint)


@RegisterGradient("MatrixTriangularSolve", needs="matrix outputs")
def _triangular_solve_grad(op: Any, dy: Tensor) -> Gradients:
    matrix, y = op.inputs[0], op.outputs[0]
    lower, flipped = op.attrs["lower"], op.attrs["adjoint"]
    drhs = raw_ops.MatrixTriangularSolve(matrix, dy, lower=lower, adjoint=not flipped)
    first, second = (y, drhs) if flipped else (drhs, y)
    dmatrix = -matmul(first, second, adjoint_b=True)
    return band_part(dmatrix, -1, 0) if lower else band_part(dmatrix, 0, -1), drhs


@scoped("triangular_solve")
def triangular_solve(
    matrix: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """`x` with `matrix x = rhs`, reading one triangle of `matrix`; batches broadcast.

    >>> tf.linalg.triangular_solve([[2.0, 0.0], [1.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    return raw_ops.MatrixTriangularSolve(matrix, rhs, lower=lower, adjoint=adjoint, name=name)


@scoped("cholesky_solve")
def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """`x` with `A x = rhs`, where `chol` is the Cholesky factor of `A`.

    >>> tf.linalg.cholesky_solve([[2.0, 0.0], [0.0, 1.0]], [[4.0], [3.0]]).numpy()
    array([[1.],
           [3.]], dtype=float32)
    """
    half = raw_ops.MatrixTriangularSolve(chol, rhs, lower=True)
    return raw_ops.MatrixTriangularSolve(chol, half, lower=True, adjoint=True, name=name)


def _least_squares_shape(matrix: Spec, rhs: Spec, l2_regularizer: Spec, *, fast: bool) -> Dims:
    check_matrix("MatrixSolveLs", matrix, square=False, name="matrix")
    check_matrix("MatrixSolveLs", rhs, square=False, name="rhs")
    if matrix.dims is None or rhs.dims is None:
        return _open_rank(matrix, rhs)
    if not rhs.shape.is_compatible_with((*matrix.dims[:-1], None)):
        raise bad_shape("MatrixSolveLs", want=f"follow a matrix of {matrix.shape}", rhs=rhs)
    return (*matrix.dims[:-2], matrix.dims[-1], rhs.dims[-1])


@op(
    "MatrixSolveLs",
    "matrix: T, rhs: T, l2_regularizer: float64[0!] -> output: T",
    T=MATRICES - {float16},
    shape=_least_squares_shape,
)
def _least_squares(
    xp: Namespace, matrix: Array, rhs: Array, l2_regularizer: Array, *, fast: bool = True
) -> Array:
    if matrix.ndim != rhs.ndim or matrix.shape[:-1] != rhs.shape[:-1] or rhs.ndim < 2:
        raise ValueError("the shapes of matrix and right-hand side do not fit")
    turned = lapack.adjoint(xp, matrix)
    if not fast:
        finite = xp.isfinite(matrix).all(axis=(-2, -1), keepdims=True)  # the rank of others is 0
        inverse = xp.linalg.pinv(xp.where(finite, matrix, 0))
        return xp.where(finite, xp.matmul(inverse, rhs), 0).astype(rhs.dtype)
    m, n = matrix.shape[-2:]
    shift = l2_regularizer.astype(matrix.dtype) * np.eye(min(m, n), dtype=matrix.dtype)
    if m >= n:
        return lapack.solve(xp, xp.matmul(turned, matrix) + shift, xp.matmul(turned, rhs))
    return xp.matmul(turned, lapack.solve(xp, xp.matmul(matrix, turned) + shift, rhs))


@RegisterGradient("MatrixSolveLs", needs="matrix rhs l2_regularizer outputs")
def _least_squares_grad(op: Any, dx: Tensor) -> Gradients:
    if not op.attrs["fast"]:
        raise ValueError("MatrixSolveLs: the gradient is defined for fast=True alone.")
    matrix, rhs, l2 = op.inputs
    x = op.outputs[0]

    def tall() -> tuple[Tensor, Tensor]:
        z = cholesky_solve(_gram_factor(matrix, l2, first=True), dx)
        outer = matmul(x, z, adjoint_b=True)
        dmatrix = matmul(rhs, z, adjoint_b=True) - matmul(matrix, outer + adjoint_of(outer))
        return dmatrix, matmul(matrix, z)

    def wide() -> tuple[Tensor, Tensor]:
        factor = _gram_factor(matrix, l2, first=False)
        y, drhs = cholesky_solve(factor, rhs), cholesky_solve(factor, matmul(matrix, dx))
        rest = dx - matmul(matrix, drhs, adjoint_a=True)
        return matmul(y, rest, adjoint_b=True) - matmul(drhs, x, adjoint_b=True), drhs

    return (*_by_form(matrix, tall, wide), None)


def _by_form(matrix: Tensor, tall: Callable[[], Any], wide: Callable[[], Any]) -> Any:
    """What `tall` gives for matrices of as many rows as columns or more, else what `wide` does."""
    m, n = matrix.shape[-2:]
    if m is not None and n is not None:
        return tall() if m >= n else wide()
    sizes, graph = raw_ops.Shape(matrix), state.graph
    assert graph is not None  # without one, sizes are known
    return graph.choose(raw_ops.GreaterEqual(sizes[-2], sizes[-1]), tall, wide)


def _gram_factor(matrix: Tensor, l2: Tensor, *, first: bool) -> Tensor:
    """The Cholesky factor of `matrix^H matrix + l2`, or of the product the other way round."""
    gram = matmul(matrix, matrix, adjoint_a=first, adjoint_b=not first)
    return raw_ops.Cholesky(gram + identity_like(gram) * raw_ops.Cast(l2, DstT=matrix.dtype))


@scoped("matrix_solve_ls")
def lstsq(
    matrix: TensorLike,
    rhs: TensorLike,
    l2_regularizer: TensorLike = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Tensor:
    """`x` for which `matrix x - rhs` is least, in the sum of squares.

    `fast` solves the normal equations, with `l2_regularizer` times the squares of `x` added to
    what is made least; without it the regularizer plays no part and ill-conditioned matrices are
    fine.

    >>> tf.linalg.lstsq([[1.0], [1.0]], [[1.0], [3.0]]).numpy().round(4)
    array([[2.]], dtype=float32)
    """
    matrix = convert_to_tensor(matrix)
    rhs = convert_to_tensor(rhs, dtype_hint=matrix.dtype)
    if matrix.dtype in (dtypes.bool, dtypes.string):
        raise TypeError(f"lstsq: `matrix` must hold floats, got {matrix.dtype.name}.")
    if matrix.dtype not in MATRICES:
        raise bad_dtype("lstsq", want="hold floats", hint="Use tf.cast.", matrix=matrix)
    if matrix.ndim is not None and matrix.ndim < 2:
        raise ValueError(f"lstsq: `matrix` must have rank 2 at least, got shape {matrix.shape}.")
    if rhs.dtype is not matrix.dtype:
        raise bad_dtype("lstsq", want=f"be of dtype {matrix.dtype.name}", rhs=rhs)
    if not fast:
        return raw_ops.MatrixSolveLs(matrix, rhs, l2_regularizer, fast=False, name=name)
    l2 = convert_to_tensor(l2_regularizer, dtype=matrix.dtype.real_dtype)

    def tall() -> Tensor:
        factor = _gram_factor(matrix, l2, first=True)
        return cholesky_solve(factor, matmul(matrix, rhs, adjoint_a=True))

    def wide() -> Tensor:
        factor = _gram_factor(matrix, l2, first=False)
        return matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)

    return _by_form(matrix, tall, wide)
