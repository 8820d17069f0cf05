"""Matrix decompositions: Cholesky, QR, LU, singular values, eigenvalues."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values.dtypes import COMPLEX, INDICES, DType, float16, float32, float64, int32
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, DTypeLike, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.linalg import lapack
from runnel.ops.array.diagonals import band_part, diag, diag_part, set_diag
from runnel.ops.linalg.matmul import matmul
from runnel.ops.linalg.matrices import adjoint

MATRICES = COMPLEX | {float16, float32, float64}


def check_matrix(op_name: str, input: Any, *, square: bool = True, name: str = "input") -> None:
    """Raise unless `input`, a spec or an array, can be a batch of matrices."""
    dims = input.dims if isinstance(input, Spec) else input.shape
    if dims is None:
        return
    if len(dims) < 2:
        raise bad_shape(op_name, want="have rank 2 at least", **{name: input})
    if square and None not in dims[-2:] and dims[-1] != dims[-2]:
        raise bad_shape(op_name, want="be square matrices", **{name: input})


def square_shape(input: Spec, *others: Spec, op_name: str, **attrs: Any) -> Dims:
    """The shape of the first input, which must hold square matrices."""
    check_matrix(op_name, input)
    if input.dims is None:
        return None
    side = input.dims[-1] if input.dims[-2] is None else input.dims[-2]
    return (*input.dims[:-2], side, side)


@op("Cholesky", "input: T -> output: T", T=MATRICES, shape=square_shape)
def _cholesky(xp: Namespace, input: Array) -> Array:
    return lapack.cholesky(xp, input)


@RegisterGradient("Cholesky", needs="outputs")
def _cholesky_grad(op: Any, dy: Tensor) -> Gradients:
    factor = op.outputs[0]
    inverse = raw_ops.MatrixTriangularSolve(factor, identity_like(factor))
    middle = halved_lower(matmul(factor, dy, adjoint_a=True))
    found = matmul(matmul(inverse, middle, adjoint_a=True), inverse)
    return (found + adjoint(found)) * scalar_of(0.5, dy.dtype)


def identity_like(x: Tensor) -> Tensor:
    """The identity of the size of square matrices, one for each in the batch."""
    zeros = raw_ops.ZerosLike(x)
    part = diag_part(zeros)
    return set_diag(zeros, part + scalar_of(1, x.dtype))


def scalar_of(value: float, dtype: DType) -> np.ndarray:
    return np.array(value, dtype.np_dtype)


def halved_lower(x: Tensor) -> Tensor:
    """The lower triangle with half the diagonal."""
    return band_part(set_diag(x, diag_part(x) * scalar_of(0.5, x.dtype)), -1, 0)


@op("CholeskyGrad", "l: T, grad: T -> output: T", T=MATRICES - COMPLEX, shape=square_shape)
def _cholesky_grad_op(xp: Namespace, l: Array, grad: Array) -> Array:  # noqa: E741
    wide_l, wide_grad = (x.astype(np.promote_types(x.dtype, np.float32)) for x in (l, grad))
    middle = xp.matmul(wide_l.swapaxes(-1, -2), xp.tril(wide_grad))
    half = xp.tril(middle) * (1 - 0.5 * np.eye(l.shape[-1])).astype(middle.dtype)
    left = lapack.triangular_solve(xp, wide_l, half, lower=True, adjoint=True)
    found = lapack.triangular_solve(
        xp, wide_l, left.swapaxes(-1, -2), lower=True, adjoint=True
    ).swapaxes(-1, -2)
    half_scale = np.array(0.5, found.dtype)
    return ((found + found.swapaxes(-1, -2)) * half_scale).astype(l.dtype)


def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular `L` with `L L^H = input`, reading the lower triangle of `input`.

    >>> tf.linalg.cholesky([[4.0, 2.0], [2.0, 2.0]]).numpy()
    array([[2., 0.],
           [1., 1.]], dtype=float32)
    """
    return raw_ops.Cholesky(input, name=name)


class Qr(NamedTuple):
    """What `tf.linalg.qr` returns."""

    q: Tensor
    r: Tensor


def _qr_shape(input: Spec, *, full_matrices: bool) -> list[Dims]:
    check_matrix("Qr", input, square=False)
    if input.dims is None:
        return [None, None]
    *batch, m, n = input.dims
    least = None if m is None or n is None else min(m, n)
    if full_matrices:
        return [(*batch, m, m), (*batch, m, n)]
    return [(*batch, m, least), (*batch, least, n)]


@op("Qr", "input: T -> q: T, r: T", T=MATRICES, shape=_qr_shape, host=lapack.crowded)
def _qr(xp: Namespace, input: Array, *, full_matrices: bool = False) -> tuple[Array, Array]:
    return lapack.qr(xp, input, full=full_matrices)


@RegisterGradient("Qr", needs="input outputs")
def _qr_grad(op: Any, dq: Tensor, dr: Tensor) -> Gradients:
    q, r = op.outputs
    m, n = r.shape[-2], r.shape[-1]
    if m is None or n is None or q.shape[-1] is None:
        raise NotImplementedError("Qr: the gradient wants matrices of known size.")
    if m > n and op.attrs["full_matrices"]:
        raise NotImplementedError(
            "Qr: the gradient is not defined for full_matrices=True and more rows than columns."
        )
    if m >= n:
        return _qr_grad_tall(q, r, dq, dr)
    rest = op.inputs[0][..., m:]
    left, right = dr[..., :m], dr[..., m:]
    dx = _qr_grad_tall(q, r[..., :m], dq + matmul(rest, right, adjoint_b=True), left)
    return raw_ops.ConcatV2([dx, matmul(q, right)], np.int32(-1))


def _qr_grad_tall(q: Tensor, r: Tensor, dq: Tensor, dr: Tensor) -> Tensor:
    qdq, rdr = matmul(q, dq, adjoint_a=True), matmul(r, dr, adjoint_b=True)
    skew = (qdq - adjoint(qdq)) + (rdr - adjoint(rdr))
    found = matmul(q, dr + _times_inverse(band_part(skew, -1, 0), r))
    found = found + _times_inverse(dq - matmul(q, qdq), r)
    if q.dtype.is_complex:  # the diagonal of `r` is real: its gradient must not turn it
        part = diag_part(rdr - adjoint(qdq))
        imaginary = part - raw_ops.Cast(raw_ops.Real(part, Tout=q.dtype.real_dtype), DstT=q.dtype)
        found = found + _times_inverse(matmul(q, adjoint(diag(imaginary))), r)
    return found


def _times_inverse(x: Tensor, r: Tensor) -> Tensor:
    """`x r^-H` for an upper triangular `r`."""
    return adjoint(raw_ops.MatrixTriangularSolve(r, adjoint(x), lower=False))


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Qr:
    """An orthogonal `q` and an upper triangular `r` with `q r = input`.

    >>> q, r = tf.linalg.qr([[3.0, 1.0], [4.0, 2.0]])
    >>> tf.matmul(q, r).numpy().round(4)
    array([[3., 1.],
           [4., 2.]], dtype=float32)
    """
    return Qr(*raw_ops.Qr(input, full_matrices=full_matrices, name=name))


class Lu(NamedTuple):
    """What `tf.linalg.lu` returns."""

    lu: Tensor
    p: Tensor


def _lu_shape(input: Spec, *, output_idx_type: DType) -> list[Dims]:
    dims = square_shape(input, op_name="Lu")
    return [dims, None if dims is None else dims[:-1]]


@op(
    "Lu",
    "input: T -> lu: T, p: output_idx_type",
    output_idx_type=INDICES,
    T=MATRICES,
    shape=_lu_shape,
)
def _lu(xp: Namespace, input: Array, *, output_idx_type: DType = int32) -> tuple[Array, Array]:
    if input.shape[-1] != input.shape[-2]:
        raise ValueError("the matrix must be square")
    factors, order = lapack.lu(xp, input)
    return factors, order.astype(output_idx_type.np_dtype)


def permutation_matrix(order: Tensor, dtype: DType) -> Tensor:
    """The matrices that put rows into `order` when they multiply from the left."""
    size = order.shape[-1] if order.shape[-1] is not None else raw_ops.Shape(order)[-1]
    return raw_ops.OneHot(
        order, size, np.ones((), dtype.np_dtype), np.zeros((), dtype.np_dtype), axis=-1
    )


def lu(input: TensorLike, output_idx_type: DTypeLike = int32, name: str | None = None) -> Lu:
    """Triangular factors, packed into one matrix, of the matrix with its rows in the order `p`.

    >>> tf.linalg.lu([[1.0, 2.0], [2.0, 0.0]]).p.numpy()
    array([1, 0], dtype=int32)
    """
    return Lu(*raw_ops.Lu(input, output_idx_type=output_idx_type, name=name))
