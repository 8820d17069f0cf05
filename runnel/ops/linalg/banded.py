"""Linear algebra with matrices of a few diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.settings.arguments import operand
from runnel.core.values.dtypes import COMPLEX, FLOATS, float16
from runnel.core.values.errors import bad_shape
from runnel.core.values.shape import broadcast_shapes
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import scatter
from runnel.kernels.bands import Band
from runnel.kernels.linalg import lapack
from runnel.ops.array.diagonals import LAST, diag, diag_part
from runnel.ops.linalg.decompositions import MATRICES, check_matrix
from runnel.ops.linalg.matmul import conj, matmul
from runnel.ops.shapes import shape_of


def _banded_shape(matrix: Spec, rhs: Spec, *, lower: bool, adjoint: bool) -> Dims:
    check_matrix("BandedTriangularSolve", matrix, square=False, name="matrix")
    check_matrix("BandedTriangularSolve", rhs, square=False, name="rhs")
    if matrix.dims is None or rhs.dims is None:
        return None
    if None not in (matrix.dims[-1], rhs.dims[-2]) and matrix.dims[-1] != rhs.dims[-2]:
        want = f"follow bands of shape {matrix.shape}"
        raise bad_shape("BandedTriangularSolve", want=want, rhs=rhs)
    try:
        batch = broadcast_shapes(matrix.dims[:-2], rhs.dims[:-2])
    except ValueError:
        want = f"follow bands of shape {matrix.shape}"
        raise bad_shape("BandedTriangularSolve", want=want, rhs=rhs) from None
    return None if batch is None else (*batch, *rhs.dims[-2:])


_banded_shape.broadcasts = True  # type: ignore[attr-defined]


@op("BandedTriangularSolve", "matrix: T, rhs: T -> output: T", T=MATRICES, shape=_banded_shape)
def _banded_solve(
    xp: Namespace, matrix: Array, rhs: Array, *, lower: bool = True, adjoint: bool = False
) -> Array:
    count, side = matrix.shape[-2:]
    if side != rhs.shape[-2] or not 0 < count <= side:
        raise ValueError(f"{count} bands of length {side} do not fit {rhs.shape[-2]} rows")
    band = Band(1 - count if lower else 0, 0 if lower else count - 1, side, side, side)
    inside, place = band.places("LEFT_RIGHT")
    values = matrix[place] if count > 1 else matrix[..., 0, :]
    dense = scatter(xp, xp.zeros((*matrix.shape[:-2], side, side), matrix.dtype), inside, values)
    return lapack.triangular_solve(xp, dense, rhs, lower=lower, adjoint=adjoint)


@RegisterGradient("BandedTriangularSolve", needs="matrix outputs")
def _banded_solve_grad(op: Any, dy: Tensor) -> Gradients:
    matrix, y = op.inputs[0], op.outputs[0]
    lower, flipped = op.attrs["lower"], op.attrs["adjoint"]
    drhs = raw_ops.BandedTriangularSolve(matrix, dy, lower=lower, adjoint=not flipped)
    first, second = (y, drhs) if flipped else (drhs, y)
    dense = -matmul(first, second, adjoint_b=True)
    bands = shape_of(matrix)[-2:]
    k = (1 - bands[0], 0) if lower else (0, bands[0] - 1)
    found = diag_part(dense, k=k, align="LEFT_RIGHT")  # which drops the axis of a single band
    batch = shape_of(dense)[:-2]
    return raw_ops.Reshape(found, raw_ops.ConcatV2([batch, bands], np.int32(0))), drhs


def banded_triangular_solve(
    bands: TensorLike,
    rhs: TensorLike,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """`x` with `A x = rhs`, for a triangular `A` given by its diagonals, one in a row of `bands`.

    Element `i` of a diagonal stands in row `i` of `A`; the main diagonal is the first row of
    `bands` for a lower triangle and the last one for an upper.

    >>> tf.linalg.banded_triangular_solve([[2.0, 2.0], [0.0, 1.0]], [[2.0], [3.0]]).numpy()
    array([[1.],
           [1.]], dtype=float32)
    """
    return raw_ops.BandedTriangularSolve(bands, rhs, lower=lower, adjoint=adjoint, name=name)


def _tridiagonal_solve_shape(diagonals: Spec, rhs: Spec, **attrs: Any) -> Dims:
    for name, spec in (("diagonals", diagonals), ("rhs", rhs)):
        check_matrix("TridiagonalSolve", spec, square=False, name=name)
    if diagonals.dims is None or rhs.dims is None:
        return rhs.dims
    if diagonals.dims[-2] not in (None, 3):
        raise bad_shape("TridiagonalSolve", want="have three diagonals", diagonals=diagonals)
    if not rhs.shape.is_compatible_with((*diagonals.dims[:-2], diagonals.dims[-1], None)):
        want = f"follow diagonals of shape {diagonals.shape}"
        raise bad_shape("TridiagonalSolve", want=want, rhs=rhs)
    return rhs.dims


@op(
    "TridiagonalSolve",
    "diagonals: T, rhs: T -> output: T",
    T=MATRICES - {float16},
    shape=_tridiagonal_solve_shape,
)
def _tridiagonal_solve(
    xp: Namespace,
    diagonals: Array,
    rhs: Array,
    *,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Array:
    fits = diagonals.ndim == rhs.ndim and diagonals.shape[:-2] == rhs.shape[:-2]
    if not fits or diagonals.shape[-2] != 3 or diagonals.shape[-1] != rhs.shape[-2]:
        raise ValueError("the shapes of diagonals and right-hand side do not fit")
    if not rhs.size:
        return rhs
    above, main, below = (diagonals[..., i, :] for i in range(3))
    if perturb_singular:
        return lapack.perturbed_tridiagonal_solve(xp, above, main, below, rhs)
    return lapack.tridiagonal_solve(xp, above, main, below, rhs, pivot=partial_pivoting)


@RegisterGradient("TridiagonalSolve", needs="diagonals outputs")
def _tridiagonal_solve_grad(op: Any, dy: Tensor) -> Gradients:
    diagonals, y = op.inputs[0], op.outputs[0]
    pivoting = op.attrs["partial_pivoting"]
    drhs = raw_ops.TridiagonalSolve(_turned(diagonals), dy, partial_pivoting=pivoting)
    return -_diagonals_of_outer(drhs, y), drhs


def _shifted(x: Tensor, by: int, axis: int = -1) -> Tensor:
    """`x` moved along an axis by one place (1: towards the end), zeros coming in."""
    at: Any = (..., slice(None, -1) if by > 0 else slice(1, None))
    if axis == -2:
        at = (*at, slice(None))
    part = x[at]
    rank = len(x.shape)
    widths = np.zeros((rank, 2), np.int32)
    widths[axis, 0 if by > 0 else 1] = 1
    return raw_ops.Pad(part, widths)


def _turned(diagonals: Tensor) -> Tensor:
    """The diagonals of the adjoint matrix."""
    above, main, below = (conj(diagonals[..., i, :]) for i in range(3))
    return raw_ops.Pack(
        [_shifted(below, -1), main, _shifted(above, 1)], axis=-2 % len(diagonals.shape)
    )


def _diagonals_of_outer(x: Tensor, y: Tensor) -> Tensor:
    """The three diagonals of `x y^H`, each as long as the main one."""
    y = conj(y)
    parts = [_shifted(y, -1, axis=-2), y, _shifted(y, 1, axis=-2)]
    sums = [raw_ops.Sum(x * part, LAST) for part in parts]
    return raw_ops.Pack(sums, axis=len(x.shape) - 2)


def _tridiagonal_matmul_shape(superdiag: Spec, maindiag: Spec, subdiag: Spec, rhs: Spec) -> Dims:
    for name, spec in (("superdiag", superdiag), ("maindiag", maindiag), ("subdiag", subdiag)):
        check_matrix("TridiagonalMatMul", spec, square=False, name=name)
        if spec.dims is None:
            continue
        if spec.dims[-2] not in (None, 1):
            want = "have 1 as its last dimension but one"
            raise bad_shape("TridiagonalMatMul", want=want, hint="", **{name: spec})
        if not rhs.shape.is_compatible_with((*spec.dims[:-2], spec.dims[-1], None)):
            want = f"follow diagonals of shape {spec.shape}"
            raise bad_shape("TridiagonalMatMul", want=want, rhs=rhs)
    return rhs.dims


@op(
    "TridiagonalMatMul",
    "superdiag: T, maindiag: T, subdiag: T, rhs: T[2+] -> output: T",
    T=MATRICES - {float16},
    shape=_tridiagonal_matmul_shape,
)
def _tridiagonal_matmul(
    xp: Namespace, superdiag: Array, maindiag: Array, subdiag: Array, rhs: Array
) -> Array:
    want = (*rhs.shape[:-2], 1, rhs.shape[-2])
    if not superdiag.shape == maindiag.shape == subdiag.shape == want:
        raise ValueError(f"the diagonals must have the shape {want}")
    above, main, below = (x.swapaxes(-1, -2) for x in (superdiag, maindiag, subdiag))
    gap = xp.zeros((*rhs.shape[:-2], min(1, rhs.shape[-2]), rhs.shape[-1]), rhs.dtype)
    down = xp.concatenate([rhs[..., 1:, :], gap], axis=-2)
    up = xp.concatenate([gap, rhs[..., :-1, :]], axis=-2)
    return above * down + main * rhs + below * up


@RegisterGradient("TridiagonalMatMul", needs="superdiag maindiag subdiag rhs")
def _tridiagonal_matmul_grad(op: Any, dy: Tensor) -> Gradients:
    *diagonals, rhs = op.inputs
    turned = conj(rhs)
    parts = [_shifted(turned, -1, axis=-2), turned, _shifted(turned, 1, axis=-2)]
    found = [raw_ops.ExpandDims(raw_ops.Sum(dy * p, LAST), np.int32(-2)) for p in parts]
    above, main, below = (conj(d) for d in diagonals)
    drhs = raw_ops.TridiagonalMatMul(_shifted(below, -1), main, _shifted(above, 1), dy)
    return [*found, drhs]


def _three_rows(op_name: str, diagonals: TensorLike, diagonals_format: str) -> Tensor:
    """The diagonals above, on and below the main one, as rows of one tensor."""
    if diagonals_format == "compact":
        return convert_to_tensor(diagonals)
    if diagonals_format == "sequence":
        if not isinstance(diagonals, tuple | list) or len(diagonals) != 3:
            raise ValueError(
                f"{op_name}: `diagonals` must be a sequence of three, got {diagonals!r}."
            )
        above, main, below = (convert_to_tensor(d) for d in diagonals)
        size = main.shape[-1]
        if above.shape[-1] == (size or 0) - 1:
            above = raw_ops.Pad(above, _pad_last(above, 1))
        if below.shape[-1] == (size or 0) - 1:
            below = raw_ops.Pad(below, _pad_last(below, 0))
        return raw_ops.Pack([above, main, below], axis=len(main.shape) - 1)
    if diagonals_format == "matrix":
        matrix = convert_to_tensor(diagonals)
        return diag_part(matrix, k=(-1, 1), align="LEFT_RIGHT")
    raise ValueError(
        f"{op_name}: `diagonals_format` must be 'compact', 'sequence' or 'matrix', got "
        f"{diagonals_format!r}."
    )


def _pad_last(x: Tensor, side: int) -> np.ndarray:
    widths = np.zeros((len(x.shape), 2), np.int32)
    widths[-1, side] = 1
    return widths


def _check_follows(rows: Tensor, rhs: Tensor, *, transposed: bool) -> None:
    """ValueError for a `rhs` that is neither vectors nor matrices for these diagonals."""
    rank, given = rows.shape.rank, rhs.shape.rank
    if rank is None or given is None:
        return
    if rank < 2:
        raise ValueError(f"tridiagonal_solve: `diagonals` wants rank 2, got shape {rows.shape}.")
    if given not in (rank - 1, rank):
        want = f"have rank {rank - 1} or {rank}, for diagonals of shape {rows.shape}"
        raise ValueError(f"tridiagonal_solve: `rhs` must {want}, got shape {rhs.shape}.")
    batch, size = rows.shape[:-2], rows.shape[-1:]
    rest = rhs.shape[rank - 2 :] if given == rank - 1 or not transposed else rhs.shape[:-3:-1]
    if 0 in (rest[0], size[0]):
        return  # the op says so
    if not rhs.shape[: rank - 2].is_compatible_with(batch) or not rest[:1].is_compatible_with(size):
        want = f"follow diagonals of shape {rows.shape}"
        raise ValueError(f"tridiagonal_solve: `rhs` must {want}, got shape {rhs.shape}.")


def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """`x` with `A x = rhs`, for `A` with three diagonals.

    `diagonals_format` says how they are given: "compact", rows of one tensor; "sequence", a tuple
    of three; "matrix", the whole matrix. Element `i` of each stands in row `i` of `A`.

    >>> diagonals = [[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]]
    >>> tf.linalg.tridiagonal_solve(diagonals, [3.0, 3.0]).numpy()
    array([1., 1.], dtype=float32)
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("tridiagonal_solve: perturb_singular wants partial_pivoting=True.")
    rows = _three_rows("tridiagonal_solve", diagonals, diagonals_format)
    rhs = convert_to_tensor(rhs, dtype_hint=rows.dtype)
    if conjugate_rhs:
        rhs = conj(rhs)
    _check_follows(rows, rhs, transposed=transpose_rhs)
    is_vector = rhs.ndim == len(rows.shape) - 1
    if is_vector:
        if transpose_rhs:
            raise ValueError("tridiagonal_solve: transpose_rhs wants `rhs` to hold matrices.")
        rhs = raw_ops.ExpandDims(rhs, np.int32(-1))
    elif transpose_rhs:
        rank = len(rhs.shape)
        order = np.array([*range(rank - 2), rank - 1, rank - 2], np.int32)
        rhs = raw_ops.Transpose(rhs, order)
    options = {"partial_pivoting": partial_pivoting, "perturb_singular": perturb_singular}
    found = raw_ops.TridiagonalSolve(rows, rhs, name=name, **options)
    return raw_ops.Squeeze(found, axis=[-1]) if is_vector else found


def tridiagonal_matmul(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    name: str | None = None,
) -> Tensor:
    """`A rhs` for `A` with three diagonals, given as for `tf.linalg.tridiagonal_solve`.

    >>> diagonals = tf.constant([[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]])
    >>> tf.linalg.tridiagonal_matmul(diagonals, [[1.0], [1.0]]).numpy()
    array([[3.],
           [3.]], dtype=float32)
    """
    if diagonals_format == "compact":
        diagonals = operand("tridiagonal_matmul", "diagonals", diagonals)
    rows = _three_rows("tridiagonal_matmul", diagonals, diagonals_format)
    above, main, below = (rows[..., i : i + 1, :] for i in range(3))
    return raw_ops.TridiagonalMatMul(above, main, below, rhs, name=name)


def _check_diagonals(alpha: Tensor, beta: Tensor) -> None:
    if alpha.dtype not in FLOATS | COMPLEX:
        raise ValueError(f"eigh_tridiagonal: `alpha` must hold floats, got {alpha.dtype.name}.")
    if beta.dtype is not alpha.dtype:
        want = f"must be of dtype {alpha.dtype.name}, as `alpha`"
        raise ValueError(f"eigh_tridiagonal: `beta` {want}, got {beta.dtype.name}.")
    if alpha.shape.rank == 0:
        raise ValueError("eigh_tridiagonal: `alpha` must be a vector, got a scalar.")
    size = alpha.shape[-1] if alpha.shape.rank else None
    if size and not beta.shape.is_compatible_with([*alpha.shape[:-1], size - 1]):
        want = f"have {size - 1} elements, one less than `alpha`"
        raise bad_shape("eigh_tridiagonal", want=want, beta=beta)


@scoped("eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: TensorLike,
    beta: TensorLike,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: TensorLike = None,
    name: str | None = None,
) -> Any:
    """Eigenvalues of the matrix with the diagonal `alpha` and `beta` beside it, in rising order.

    `select` takes all ("a"), those with the numbers ("i") or in the half-open interval ("v")
    `select_range`. All are found to the last digit, so `tol` changes nothing.

    >>> tf.linalg.eigh_tridiagonal([2.0, 2.0], [1.0]).numpy().round(4)
    array([1., 3.], dtype=float32)
    """
    alpha, beta = convert_to_tensor(alpha), convert_to_tensor(beta)
    _check_diagonals(alpha, beta)
    if select not in ("a", "i", "v"):
        raise ValueError(f"eigh_tridiagonal: `select` must be 'a', 'i' or 'v', got {select!r}.")
    if select != "a" and (select_range is None or len(select_range) != 2):
        raise ValueError(f"eigh_tridiagonal: `select_range` must be a pair, got {select_range!r}.")
    if tol is not None:  # every width is met: the values are as exact as their dtype
        convert_to_tensor(tol, dtype=alpha.dtype.real_dtype).shape.assert_has_rank(0)
    size = alpha.shape[-1]
    matrix = diag(alpha) if size == 1 else diag(alpha) + diag(beta, k=-1)
    values, vectors = raw_ops.SelfAdjointEigV2(matrix, compute_v=not eigvals_only)
    if values.dtype.is_complex:
        values = raw_ops.Real(values, Tout=values.dtype.real_dtype)
    if select == "i":
        first, last = (int(i) for i in select_range)
        if first > last:
            raise ValueError("eigh_tridiagonal: `select_range` must rise.")
        values = values[first : last + 1]
        vectors = vectors if eigvals_only else vectors[:, first : last + 1]
    elif select == "v":
        low, high = select_range
        inside = raw_ops.LogicalAnd(values > low, values <= high)
        chosen = raw_ops.Squeeze(raw_ops.Where(inside), axis=[1])
        values = raw_ops.GatherV2(values, chosen, np.int32(0))
        vectors = vectors if eigvals_only else raw_ops.GatherV2(vectors, chosen, np.int32(1))
    return values if eigvals_only else (values, vectors)
