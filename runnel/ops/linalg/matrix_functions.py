"""Functions of whole matrices: exponential, logarithm, square root, pseudo-inverse, rank."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import COMPLEX, float32, int32, int64
from runnel.core.values.errors import bad_dtype, bad_shape, bad_value
from runnel.core.values.types import Array, Gradients, Namespace, TensorLike
from runnel.kernels.linalg import lapack
from runnel.ops.array.diagonals import LAST, band_part, diag_part, set_diag
from runnel.ops.control.asserting import Assert
from runnel.ops.shapes import shape_of, with_shape_of
from .decompositions import MATRICES, identity_like, permutation_matrix, square_shape
from .matmul import conj, matmul
from .matrices import adjoint
from .spectra import svd


@op(
    "MatrixExponential",
    "input: T -> output: T",
    T=MATRICES,
    shape=square_shape,
    host=lapack.crowded,
)
def _expm(xp: Namespace, input: Array) -> Array:
    return lapack.expm(xp, input)


@RegisterGradient("MatrixExponential", needs="input")
def _expm_grad(op: Any, dy: Tensor) -> Gradients:
    # The derivative in a direction E is the corner of the exponential of [[A, E], [0, A]].
    a = adjoint(op.inputs[0])
    axis = np.int32(-1)
    top = raw_ops.ConcatV2([a, dy], axis)
    bottom = raw_ops.ConcatV2([raw_ops.ZerosLike(a), a], axis)
    whole = raw_ops.MatrixExponential(raw_ops.ConcatV2([top, bottom], np.int32(-2)))
    size = shape_of(a)[-1]
    return whole[..., :size, size:]


@scoped("matrix_exponential")
def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """The exponential of square matrices, the sum of `A^n / n!`.

    >>> tf.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    matrix = convert_to_tensor(input)
    if matrix.dtype.is_integer:
        raise ValueError(f"expm: `input` must hold floats, got {matrix.dtype.name}. Use tf.cast.")
    return raw_ops.MatrixExponential(matrix, name=name)


_NO_COMPLEX = complex(np.nan, np.nan)


@op("MatrixLogarithm", "input: T -> output: T", T=COMPLEX, shape=square_shape, host=True)
def _logm(xp: Namespace, input: Array) -> Array:
    if input.shape[-1] != input.shape[-2]:
        raise ValueError("the matrix must be square")
    if input.size == 0:
        return input
    log = lapack.scipy_linalg().logm

    def one(matrix: Array) -> tuple[Array]:
        finite = np.isfinite(matrix).all()
        return (log(matrix.astype(complex)) if finite else np.full(matrix.shape, _NO_COMPLEX),)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of results that may be inaccurate
        return lapack.each(one, input)[0].astype(input.dtype)


def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """The matrix whose exponential is `input`, for complex matrices.

    >>> tf.linalg.logm([[1 + 0j, 0j], [0j, 1 + 0j]]).numpy().real
    array([[0., 0.],
           [0., 0.]])
    """
    return raw_ops.MatrixLogarithm(input, name=name)


@op("MatrixSquareRoot", "input: T -> output: T", T=MATRICES, shape=square_shape, host=True)
def _sqrtm(xp: Namespace, input: Array) -> Array:
    if input.shape[-1] != input.shape[-2]:
        raise ValueError("the matrix must be square")
    if input.size == 0:
        return input
    return _root(xp, input)


@lapack.widened
def _root(xp: Namespace, a: Array) -> Array:
    root = lapack.scipy_linalg().sqrtm
    return lapack.each(lambda m: (_real_or_nan(root(m), m.dtype),), a)[0].astype(a.dtype)


def _real_or_nan(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A real matrix may have a complex root alone: NaN then."""
    if x.dtype.kind == "c" and dtype.kind != "c":
        return np.full(x.shape, np.nan, dtype) if np.any(np.abs(x.imag) > 0) else x.real
    return x


@RegisterGradient("MatrixSquareRoot", needs="outputs")
def _sqrtm_grad(op: Any, dy: Tensor) -> Gradients:
    # With Y the root and Y^H X + X Y^H = dy, X is the gradient: a linear equation for its elements.
    y = op.outputs[0]
    turned, plain = adjoint(y), conj(y)
    unit = identity_like(y)
    left = raw_ops.Einsum([turned, unit], equation="...ij,...kl->...ikjl")
    right = raw_ops.Einsum([unit, plain], equation="...ij,...kl->...ikjl")
    shape = shape_of(y)
    side = shape[-1]
    batch = shape[:-2]
    equations = raw_ops.Reshape(left + right, _joined(batch, [side * side, side * side]))
    column = raw_ops.Reshape(dy, _joined(batch, [side * side, 1]))
    return raw_ops.Reshape(raw_ops.MatrixSolve(equations, column), shape)


def _joined(batch: Any, tail: list[Any]) -> Any:
    if isinstance(batch, np.ndarray):
        return np.concatenate([batch, np.array(tail, np.int32)])
    return raw_ops.ConcatV2([batch, raw_ops.Pack(tail)], np.int32(0))


def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """The matrix whose square is `input`.

    >>> tf.linalg.sqrtm([[4.0, 0.0], [0.0, 9.0]]).numpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)
    """
    return raw_ops.MatrixSquareRoot(input, name=name)


def _float_matrix(op_name: str, a: TensorLike, validate_args: bool) -> Tensor:
    a = convert_to_tensor(a)
    if not (a.dtype.is_floating or a.dtype.is_complex):
        raise TypeError(f"{op_name}: `a` must be of a floating-point dtype, got {a.dtype.name}.")
    if a.ndim is not None and a.ndim < 2:
        raise ValueError(f"{op_name}: `a` must have rank 2 at least, got shape {a.shape}.")
    if validate_args:
        _check_rank(op_name, "a", a)
    return a


def _check_rank(op_name: str, name: str, x: Tensor) -> None:
    """That `x` is made of matrices, when the function runs if it cannot be told before."""
    if x.ndim is None:
        rank = raw_ops.Rank(x)
        Assert(rank >= 2, [f"{op_name}: `{name}` must have rank 2 at least, got rank", rank])


def _check_factors(op_name: str, lower_upper: Tensor, perm: Tensor) -> None:
    """The same for the parts of a decomposition: square matrices, and an order for each."""
    _check_rank(op_name, "lower_upper", lower_upper)
    if lower_upper.shape.is_fully_defined() and perm.shape.is_fully_defined():
        return
    shape = raw_ops.Shape(lower_upper)
    square = raw_ops.Equal(shape[-1], shape[-2])
    Assert(square, [f"{op_name}: `lower_upper` must hold square matrices, got shape", shape])
    fits = raw_ops.Equal(raw_ops.Rank(perm) + 1, raw_ops.Rank(lower_upper))
    want = f"{op_name}: `perm` must have one dimension less than `lower_upper`, got shape"
    Assert(fits, [want, raw_ops.Shape(perm)])


def _longer_side(a: Tensor) -> Any:
    shape = shape_of(a)
    if isinstance(shape, np.ndarray):
        return int(max(shape[-2:]))
    return raw_ops.Maximum(shape[-2], shape[-1])


def _as(value: Any, x: Tensor) -> Any:
    return raw_ops.Cast(value, DstT=x.dtype) if isinstance(value, Tensor) else value


@scoped("pinv")
def pinv(
    a: TensorLike, rcond: TensorLike = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The Moore-Penrose pseudo-inverse of matrices.

    Singular values up to `rcond` times the largest count as zero.

    >>> tf.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]).numpy()
    array([[0.5, 0. ],
           [0. , 0. ]], dtype=float32)
    """
    a = _float_matrix("pinv", a, validate_args)
    s, u, v = svd(a)
    if rcond is None:
        rcond = _as(_longer_side(a), s) * (10.0 * float(np.finfo(s.dtype.as_numpy_dtype).eps))
    rcond = convert_to_tensor(rcond, dtype=s.dtype)
    largest = raw_ops.Max(s, LAST, keep_dims=True)
    limit = raw_ops.ExpandDims(rcond, np.int32(-1)) * largest
    infinite = raw_ops.Fill(shape_of(s), np.array(np.inf, s.dtype.np_dtype))
    s = raw_ops.SelectV2(s > limit, s, infinite)
    weights = raw_ops.ExpandDims(raw_ops.Cast(s, DstT=a.dtype), np.int32(-2))
    return matmul(v / weights, u, adjoint_b=True)


@scoped("matrix_rank")
def matrix_rank(
    a: TensorLike, tol: TensorLike = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """How many singular values of matrices are greater than `tol`.

    >>> tf.linalg.matrix_rank([[1.0, 1.0], [2.0, 2.0]]).numpy()
    np.int32(1)
    """
    a = _float_matrix("matrix_rank", convert_to_tensor(a, dtype_hint=float32), validate_args)
    s = svd(a, compute_uv=False)
    if tol is None:
        largest = raw_ops.Max(s, LAST, keep_dims=True)
        tol = largest * (_as(_longer_side(a), s) * float(np.finfo(s.dtype.as_numpy_dtype).eps))
    return raw_ops.Sum(raw_ops.Cast(s > tol, DstT=int32), LAST, name=name)


def _factors(lower_upper: Tensor) -> tuple[Tensor, Tensor]:
    ones = diag_part(identity_like(lower_upper))
    return set_diag(band_part(lower_upper, -1, 0), ones), band_part(lower_upper, 0, -1)


def _check_lu(
    op_name: str, lower_upper: TensorLike, perm: TensorLike, validate_args: bool
) -> tuple[Tensor, Tensor]:
    lower_upper, perm = convert_to_tensor(lower_upper), convert_to_tensor(perm, dtype_hint=int32)
    if lower_upper.ndim is not None and lower_upper.ndim < 2:
        raise ValueError(f"{op_name}: `lower_upper` must have rank 2 at least.")
    if not lower_upper.shape[-1:].is_compatible_with(lower_upper.shape[-2:-1]):
        got = f"got shape {lower_upper.shape}"
        raise ValueError(f"{op_name}: `lower_upper` must hold square matrices, {got}.")
    if None not in (perm.ndim, lower_upper.ndim) and perm.ndim != lower_upper.ndim - 1:
        want = f"rank {lower_upper.ndim - 1}, one less than `lower_upper`"
        raise ValueError(f"{op_name}: `perm` must have {want}, got shape {perm.shape}.")
    if perm.ndim == 0:
        raise bad_shape(op_name, want="have rank 1 at least", perm=perm)
    if not perm.shape.is_compatible_with(lower_upper.shape[:-1]):
        if op_name == "lu_reconstruct" and perm.shape[-1] == 0:
            want = f"must have the shape {lower_upper.shape[:-1]}"
            raise ValueError(f"{op_name}: `perm` {want}, got shape {perm.shape}.")
        raise bad_shape(op_name, want=f"have the shape {lower_upper.shape[:-1]}", perm=perm)
    if not perm.dtype.is_integer:
        raise bad_dtype(op_name, want="hold integers", perm=perm)
    order = constant_value(perm)
    size = None if lower_upper.ndim is None else lower_upper.shape[-1]
    is_outside = size is not None and order is not None and np.any((order < 0) | (order >= size))
    if is_outside:
        raise bad_value(op_name, want=f"be in [0, {size})", perm=order)
    if validate_args:
        _check_factors(op_name, lower_upper, perm)
    return lower_upper, perm


@scoped("lu_reconstruct")
def lu_reconstruct(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrices of which `lower_upper` and `perm` are the decomposition.

    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [4.0, 3.0]])).numpy()
    array([[1., 2.],
           [4., 3.]], dtype=float32)
    """
    lower_upper, perm = _check_lu("lu_reconstruct", lower_upper, perm, validate_args)
    if perm.dtype not in (int32, int64):
        raise bad_dtype("InvertPermutation", want="be int32 or int64", x=perm)
    known = constant_value(perm)
    if known is not None and np.any(np.sort(known, axis=-1) != np.arange(known.shape[-1])):
        raise bad_value("lu_reconstruct", want="name every row once", perm=known)
    if known is None and perm.shape.rank == 1:
        perm = raw_ops.InvertPermutation(raw_ops.InvertPermutation(perm))  # which looks at it
    lower, upper = _factors(lower_upper)
    order = permutation_matrix(perm, lower_upper.dtype)
    found = matmul(order, matmul(lower, upper), transpose_a=True)
    return with_shape_of(lower_upper, found)  # type: ignore[no-any-return]


def lu_solve(
    lower_upper: TensorLike,
    perm: TensorLike,
    rhs: TensorLike,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """`x` with `A x = rhs`, where `lower_upper` and `perm` are the decomposition of `A`.

    >>> factors, order = tf.linalg.lu([[0.0, 2.0], [4.0, 0.0]])
    >>> tf.linalg.lu_solve(factors, order, [[2.0], [4.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    lower_upper, perm = _check_lu("lu_solve", lower_upper, perm, validate_args)
    rhs = convert_to_tensor(rhs, dtype_hint=lower_upper.dtype)
    if rhs.ndim is not None and rhs.ndim < 2:
        raise ValueError(f"lu_solve: `rhs` must have rank 2 at least, got shape {rhs.shape}.")
    if not rhs.shape[-2:-1].is_compatible_with(lower_upper.shape[-1:]):
        want = f"have {lower_upper.shape[-1]} rows"
        raise ValueError(f"lu_solve: `rhs` must {want}, got shape {rhs.shape}.")
    lower, _ = _factors(lower_upper)
    ordered = matmul(permutation_matrix(perm, lower_upper.dtype), rhs)
    half = raw_ops.MatrixTriangularSolve(lower, ordered, lower=True)
    return raw_ops.MatrixTriangularSolve(lower_upper, half, lower=False, name=name)


def lu_matrix_inverse(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverse of the matrices of which `lower_upper` and `perm` are the decomposition.

    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[2.0, 0.0], [0.0, 4.0]])).numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    lower_upper, perm = _check_lu("lu_matrix_inverse", lower_upper, perm, validate_args)
    return lu_solve(lower_upper, perm, identity_like(lower_upper), name=name)
