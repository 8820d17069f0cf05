"""Singular values and eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values.dtypes import COMPLEX, DType, complex64, complex128, float16, float64
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.linalg import lapack
from runnel.ops.array.diagonals import diag, diag_part, set_diag
from .decompositions import MATRICES, check_matrix, halved_lower, scalar_of, square_shape
from .matmul import conj, matmul
from .matrices import adjoint


def _svd_shape(input: Spec, *, compute_uv: bool, full_matrices: bool) -> list[Dims]:
    check_matrix("Svd", input, square=False)
    if input.dims is None:
        return [None, None, None] if compute_uv else [None, (), ()]
    *batch, m, n = input.dims
    least = None if m is None or n is None else min(m, n)
    if not compute_uv:
        return [(*batch, least), (), ()]
    if full_matrices:
        return [(*batch, least), (*batch, m, m), (*batch, n, n)]
    return [(*batch, least), (*batch, m, least), (*batch, n, least)]


@op("Svd", "input: T -> s: T, u: T, v: T", T=MATRICES, shape=_svd_shape, host=lapack.crowded)
def _svd(
    xp: Namespace, input: Array, *, compute_uv: bool = True, full_matrices: bool = False
) -> tuple[Array, Array, Array]:
    if compute_uv:
        return lapack.svd(xp, input, full=full_matrices)
    nothing = xp.zeros((), input.dtype)
    return lapack.singular_values(xp, input), nothing, nothing


@RegisterGradient("Svd", needs="input outputs")
def _svd_grad(op: Any, ds: Tensor, du: Tensor, dv: Tensor) -> Gradients:
    x = op.inputs[0]
    if not op.attrs["compute_uv"]:
        _, u, v = raw_ops.Svd(x, compute_uv=True)
        return matmul(u, raw_ops.ExpandDims(ds, np.int32(-1)) * adjoint(v))
    m, n = x.shape[-2:]
    if m is None or n is None:
        raise NotImplementedError("Svd: the gradient wants matrices of known size.")
    s, u, v = op.outputs
    if op.attrs["full_matrices"]:
        if abs(m - n) > 1:
            raise NotImplementedError(
                "Svd: the gradient is not defined for full_matrices=True when rows and columns "
                f"differ by more than one, got shape {x.shape}."
            )
        u, du = _thin(u, du, min(m, n))
        v, dv = _thin(v, dv, min(m, n))
    return _svd_grad_thin(s, u, v, ds, du, dv)


def _thin(u: Tensor, du: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The first columns, which decide the rest: its gradient is added to theirs."""
    first, rest = u[..., :count], u[..., count:]
    through = matmul(matmul(rest, du[..., count:], adjoint_b=True), first)
    return first, du[..., :count] - through


def _svd_grad_thin(s: Tensor, u: Tensor, v: Tensor, ds: Tensor, du: Tensor, dv: Tensor) -> Tensor:
    squares = raw_ops.Square(s)
    gaps = safe_reciprocals(squares)
    row, column = (raw_ops.ExpandDims(s, np.int32(axis)) for axis in (-2, -1))
    udu, vdv = matmul(u, du, adjoint_a=True), matmul(v, dv, adjoint_a=True)
    middle = diag(ds)
    middle = middle + gaps * (udu - adjoint(udu)) * row
    middle = middle + column * (gaps * (vdv - adjoint(vdv)))
    inverse = _reciprocal(s)
    if u.dtype.is_complex:  # the phase of each pair of vectors is free
        phase = diag_part(vdv)
        half = scalar_of(0.5, u.dtype)
        middle = middle + diag((conj(phase) - phase) * inverse * half)
    left = (du - matmul(u, udu)) * raw_ops.ExpandDims(inverse, np.int32(-2))
    right = (dv - matmul(v, vdv)) * raw_ops.ExpandDims(inverse, np.int32(-2))
    found = matmul(matmul(u, middle) + left, v, adjoint_b=True)
    return found + matmul(u, right, adjoint_b=True)


def _reciprocal(x: Tensor) -> Tensor:
    """`1 / x`, and zero where `x` is too small for that."""
    tiny = scalar_of(1e-20, x.dtype)
    return x / (raw_ops.Square(x) + tiny)


def safe_reciprocals(values: Tensor) -> Tensor:
    """The matrix of `1 / (values[j] - values[i])`, with zeros on its diagonal."""
    gaps = raw_ops.ExpandDims(values, np.int32(-2)) - raw_ops.ExpandDims(values, np.int32(-1))
    found = _reciprocal(gaps)
    return set_diag(found, raw_ops.ZerosLike(values))


def svd(
    tensor: TensorLike,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> Any:
    """Singular values in falling order and both sets of vectors: `tensor = u diag(s) v^H`.

    >>> s, u, v = tf.linalg.svd([[3.0, 0.0], [0.0, -4.0]])
    >>> s.numpy()
    array([4., 3.], dtype=float32)
    """
    s, u, v = raw_ops.Svd(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    s = raw_ops.Real(s, Tout=s.dtype.real_dtype) if s.dtype.is_complex else s
    return (s, u, v) if compute_uv else s


def _eig_shape(input: Spec, *, op_name: str, compute_v: bool, **attrs: Any) -> list[Dims]:
    dims = square_shape(input, op_name=op_name)
    return [None if dims is None else dims[:-1], dims if compute_v else ()]


@op("SelfAdjointEigV2", "input: T -> e: T, v: T", T=MATRICES, shape=_eig_shape, host=lapack.crowded)
def _eigh(xp: Namespace, input: Array, *, compute_v: bool = True) -> tuple[Array, Array]:
    values, vectors = lapack.eigh(xp, input)
    return values, vectors if compute_v else xp.zeros((), input.dtype)


@RegisterGradient("SelfAdjointEigV2", needs="input outputs")
def _eigh_grad(op: Any, de: Tensor, dv: Tensor) -> Gradients:
    e, v = op.outputs
    if op.attrs["compute_v"]:
        inner = diag(de) + safe_reciprocals(e) * matmul(v, dv, adjoint_a=True)
    else:
        _, v = raw_ops.SelfAdjointEigV2(op.inputs[0], compute_v=True)
        inner = diag(de)
    found = matmul(v, matmul(inner, v, adjoint_b=True))
    return halved_lower(found + adjoint(found))  # the op reads the lower triangle alone


def eigh(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues in rising order, and eigenvectors, of matrices that are their own adjoint.

    >>> tf.linalg.eigh([[2.0, 0.0], [0.0, 1.0]])[0].numpy()
    array([1., 2.], dtype=float32)
    """
    e, v = raw_ops.SelfAdjointEigV2(tensor, compute_v=True, name=name)
    return e, v


def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues that `tf.linalg.eigh` finds.

    >>> tf.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).numpy()
    array([1., 2.], dtype=float32)
    """
    e, _ = raw_ops.SelfAdjointEigV2(tensor, compute_v=False, name=name)
    return e


@op("Eig", "input: T -> e: Tout, v: Tout", T=MATRICES - {float16}, Tout=COMPLEX, shape=_eig_shape)
def _eig(
    xp: Namespace, input: Array, *, compute_v: bool = True, Tout: DType
) -> tuple[Array, Array]:
    dtype = Tout.np_dtype
    if not compute_v:
        return xp.linalg.eigvals(input).astype(dtype), xp.zeros((), dtype)
    values, vectors = xp.linalg.eig(input)
    return values.astype(dtype), vectors.astype(dtype)


@RegisterGradient("Eig", needs="input outputs")
def _eig_grad(op: Any, de: Tensor, dv: Tensor) -> Gradients:
    e, v = op.outputs
    x = op.inputs[0]
    if op.attrs["compute_v"]:
        vdv = matmul(v, dv, adjoint_a=True)
        real = raw_ops.Cast(raw_ops.Real(diag_part(vdv), Tout=v.dtype.real_dtype), DstT=v.dtype)
        along = matmul(matmul(v, v, adjoint_a=True), diag(real))
        inner = diag(de) + conj(safe_reciprocals(e)) * (vdv - along)
    else:
        _, v = raw_ops.Eig(x, compute_v=True, Tout=e.dtype)
        inner = diag(de)
    basis = adjoint(v)
    return raw_ops.Cast(raw_ops.MatrixSolve(basis, matmul(inner, basis)), DstT=x.dtype)


def _complex_of(dtype: DType) -> DType:
    return complex128 if dtype in (float64, complex128) else complex64


def eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Complex eigenvalues and eigenvectors of square matrices, in no particular order.

    >>> tf.linalg.eig([[2.0, 0.0], [0.0, 1.0]])[0].dtype
    tf.complex64
    """
    tensor = convert_to_tensor(tensor)
    e, v = raw_ops.Eig(tensor, compute_v=True, Tout=_complex_of(tensor.dtype), name=name)
    return e, v


def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues that `tf.linalg.eig` finds.

    >>> tf.linalg.eigvals([[2.0, 0.0], [0.0, 1.0]]).numpy()
    array([2.+0.j, 1.+0.j], dtype=complex64)
    """
    tensor = convert_to_tensor(tensor)
    e, _ = raw_ops.Eig(tensor, compute_v=False, Tout=_complex_of(tensor.dtype), name=name)
    return e
