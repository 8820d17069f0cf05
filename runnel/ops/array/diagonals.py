"""Diagonals of matrices: taking them out, putting them in, bands around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.settings.arguments import integer
from runnel.core.tensor.convert import operand, unread
from runnel.core.values.dtypes import COMPLEX, FLOATS, int32, int64
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import scatter
from runnel.kernels.bands import Band, band_for, band_of, check_align, limits
from runnel.ops.choices import ALIGN
from runnel.ops.shapes import shape_of

LAST = np.array([-1], np.int32)  # the last axis, as reductions take it


def _values(*specs: Spec) -> list[Any] | None:
    values = [spec.value for spec in specs]
    return None if any(v is None for v in values) else values


def _diag_shape(
    diagonal: Spec, k: Spec, num_rows: Spec, num_cols: Spec, padding_value: Spec, *, align: str
) -> Dims:
    if diagonal.dims is None or k.value is None:
        return None
    lower, upper = limits("MatrixDiagV3", k.value)
    batch = diagonal.dims[: -1 if lower == upper else -2]
    known = _values(k, num_rows, num_cols)
    if known is None or None in diagonal.dims[len(batch) :]:
        return (*batch, None, None)
    tail = tuple(d or 0 for d in diagonal.dims[len(batch) :])
    band = band_for(tail, *known)
    return (*batch, band.rows, band.columns)


@op(
    "MatrixDiagV3",
    "diagonal: T[1+], k: int32[0-1], num_rows: int32[0!], num_cols: int32[0!], padding_value: "
    "T[0!] -> output: T",
    static=("k", "num_rows", "num_cols"),
    shape=_diag_shape,
    default_name="diag",
    align=ALIGN,
)
def _matrix_diag(
    xp: Namespace,
    diagonal: Array,
    k: np.ndarray,
    num_rows: np.ndarray,
    num_cols: np.ndarray,
    padding_value: Array,
    *,
    align: str = "RIGHT_LEFT",
) -> Array:
    check_align("MatrixDiagV3", align)
    band = band_for(diagonal.shape, k, num_rows, num_cols)
    batch = diagonal.shape[: diagonal.ndim - len(band.shape)]
    matrix, place = band.places(align)
    empty = xp.broadcast_to(padding_value, (*batch, band.rows, band.columns))
    return scatter(xp, empty, matrix, diagonal[place])


@RegisterGradient("MatrixDiagV3", needs="k")
def _matrix_diag_grad(op: Any, dy: Tensor) -> Gradients:
    zero = np.zeros((), dy.dtype.np_dtype)
    part = raw_ops.MatrixDiagPartV3(dy, op.inputs[1], zero, align=op.attrs["align"])
    return part, None, None, None, None


def _padding(value: TensorLike, like: TensorLike) -> TensorLike:
    """What stands outside the diagonals: a truth value when `like` is known to hold those."""
    return bool(value) if getattr(like, "dtype", None) == "bool" else value


def diag(
    diagonal: TensorLike,
    name: str | None = "diag",
    k: TensorLike = 0,
    num_rows: TensorLike = -1,
    num_cols: TensorLike = -1,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with the given diagonals, and `padding_value` everywhere else.

    `k` numbers the diagonal, or is the pair of the lowest and the highest; `align` says on which
    side those above and those below the main one are padded to the length of the longest.

    >>> tf.linalg.diag([1, 2], k=1).numpy()
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]], dtype=int32)
    """
    padding_value = _padding(padding_value, diagonal)
    diagonal = unread(diagonal)
    return raw_ops.MatrixDiagV3(
        diagonal, k, num_rows, num_cols, padding_value, align=align, name=name
    )


def _diag_part_shape(input: Spec, k: Spec, padding_value: Spec, *, align: str) -> Dims:
    if input.dims is None or k.value is None:
        return None
    if len(input.dims) < 2:
        raise bad_shape("MatrixDiagPartV3", want="have rank 2 at least", input=input)
    *batch, rows, columns = input.dims
    if rows is None or columns is None:
        lower, upper = limits("MatrixDiagPartV3", k.value)
        return (*batch, None) if lower == upper else (*batch, upper - lower + 1, None)
    return (*batch, *band_of("MatrixDiagPartV3", (rows, columns), k.value).shape)


@op(
    "MatrixDiagPartV3",
    "input: T[2+], k: int32[0-1], padding_value: T[0] -> diagonal: T",
    static=("k",),
    shape=_diag_part_shape,
    default_name="diag_part",
    align=ALIGN,
)
def _matrix_diag_part(
    xp: Namespace, input: Array, k: np.ndarray, padding_value: Array, *, align: str = "RIGHT_LEFT"
) -> Array:
    check_align("MatrixDiagPartV3", align)
    band = band_of("MatrixDiagPartV3", input.shape, k)
    matrix, place = band.places(align)
    if band.lower == band.upper:
        return input[matrix]
    empty = xp.broadcast_to(padding_value, (*input.shape[:-2], *band.shape))
    return scatter(xp, empty, place, input[matrix])


@RegisterGradient("MatrixDiagPartV3", needs="k")
def _matrix_diag_part_grad(op: Any, dy: Tensor) -> Gradients:
    x, k = op.inputs[:2]
    zero = np.zeros((), dy.dtype.np_dtype)
    zeros = raw_ops.Fill(shape_of(x), zero)
    return raw_ops.MatrixSetDiagV3(zeros, dy, k, align=op.attrs["align"]), None, None


def diag_part(
    input: TensorLike,
    name: str | None = "diag_part",
    k: TensorLike = 0,
    padding_value: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The diagonals of matrices: the one that `k` numbers, or all between a pair of numbers.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    padding_value = _padding(padding_value, input)
    input = unread(input)
    return raw_ops.MatrixDiagPartV3(input, k, padding_value, align=align, name=name)


def _set_diag_shape(input: Spec, diagonal: Spec, k: Spec, *, align: str) -> Dims:
    if input.dims is not None and len(input.dims) < 2:
        raise bad_shape("MatrixSetDiagV3", want="have rank 2 at least", input=input)
    unknown = input.rank is None or diagonal.rank is None
    less = 0 if unknown else len(input.dims or ()) - len(diagonal.dims or ())
    if less not in (0, 1) or (less and k.value is not None and _is_band(k.value)):
        raise bad_shape("MatrixSetDiagV3", want=f"fit a matrix of {input.shape}", diagonal=diagonal)
    known = input.dims is not None and None not in input.dims
    if known and k.value is not None and diagonal.dims is not None and None not in diagonal.dims:
        dims: Any = input.dims
        _check_diagonal(band_of("MatrixSetDiagV3", dims, k.value), dims, diagonal.dims)
    return input.dims


def _is_band(k: Any) -> bool:
    return len(set(np.ravel(k).tolist())) > 1


def _check_diagonal(band: Band, matrix: tuple[int, ...], diagonal: Any) -> None:
    want = (*matrix[:-2], *band.shape)
    if tuple(diagonal) != want:
        raise bad_shape(
            "MatrixSetDiagV3", want=f"have shape {want}", diagonal=np.empty(diagonal, bool)
        )


@op(
    "MatrixSetDiagV3",
    "input: T, diagonal: T[1+], k: int32[0-1] -> output: T",
    static=("k",),
    shape=_set_diag_shape,
    align=ALIGN,
)
def _matrix_set_diag(
    xp: Namespace, input: Array, diagonal: Array, k: np.ndarray, *, align: str = "RIGHT_LEFT"
) -> Array:
    check_align("MatrixSetDiagV3", align)
    band = band_of("MatrixSetDiagV3", input.shape, k)
    _check_diagonal(band, input.shape, diagonal.shape)
    matrix, place = band.places(align)
    return scatter(xp, input, matrix, diagonal[place])


@RegisterGradient("MatrixSetDiagV3", needs="k")
def _matrix_set_diag_grad(op: Any, dy: Tensor) -> Gradients:
    _, diagonal, k = op.inputs
    align = op.attrs["align"]
    zero = np.zeros((), dy.dtype.np_dtype)
    dinput = raw_ops.MatrixSetDiagV3(dy, raw_ops.Fill(shape_of(diagonal), zero), k, align=align)
    return dinput, raw_ops.MatrixDiagPartV3(dy, k, zero, align=align), None


def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str | None = "set_diag",
    k: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The matrices `input` with other diagonals.

    >>> tf.linalg.set_diag([[1, 2], [3, 4]], [0, 9]).numpy()
    array([[0, 2],
           [3, 9]], dtype=int32)
    """
    return raw_ops.MatrixSetDiagV3(input, diagonal, k, align=align, name=name)


def _band_part_shape(input: Spec, num_lower: Spec, num_upper: Spec) -> Dims:
    if input.dims is not None and len(input.dims) < 2:
        raise bad_shape("MatrixBandPart", want="have rank 2 at least", input=input)
    return input.dims


def _check_band_part(input: Array, num_lower: Array, num_upper: Array) -> None:
    if input.ndim < 2:
        raise bad_shape("MatrixBandPart", want="have rank 2 at least", input=input)
    rows, columns = input.shape[-2:]
    if int(num_lower) > rows:
        raise bad_value("MatrixBandPart", want=f"be {rows} at most", num_lower=num_lower)
    if int(num_upper) > columns:
        raise bad_value("MatrixBandPart", want=f"be {columns} at most", num_upper=num_upper)


@op(
    "MatrixBandPart",
    "input: T, num_lower: Tindex, num_upper: Tindex -> band: T",
    Tindex=frozenset({int32, int64}),
    shape=_band_part_shape,
    check=_check_band_part,
    heavy=True,
)
def _matrix_band_part(xp: Namespace, input: Array, num_lower: Array, num_upper: Array) -> Array:
    rows, columns = input.shape[-2:]
    distance = np.arange(columns) - np.arange(rows)[:, None]  # how far above the main diagonal
    below = (num_lower < 0) | (distance >= -num_lower)
    above = (num_upper < 0) | (distance <= num_upper)
    return xp.where(below & above, input, xp.zeros((), input.dtype))


@RegisterGradient("MatrixBandPart", needs="num_lower num_upper")
def _matrix_band_part_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.MatrixBandPart(dy, *op.inputs[1:]), None, None


def _count(name: str, value: TensorLike) -> Tensor:
    if isinstance(value, float | str):
        value = integer("band_part", name, value)
    return operand(value, int64)


def band_part(
    input: TensorLike, num_lower: TensorLike, num_upper: TensorLike, name: str | None = None
) -> Tensor:
    """`input` with zeros outside a band of diagonals; a negative number keeps all on that side.

    >>> tf.linalg.band_part([[1, 2], [3, 4]], -1, 0).numpy()
    array([[1, 0],
           [3, 4]], dtype=int32)
    """
    if not isinstance(num_lower, Tensor) and not isinstance(num_upper, Tensor):
        num_lower = _count("num_lower", num_lower)
        num_upper = _count("num_upper", num_upper)
    return raw_ops.MatrixBandPart(input, num_lower, num_upper, name=name)


_DIAGONAL = FLOATS | COMPLEX | {int32, int64}


def _tensor_diag_shape(diagonal: Spec) -> Dims:
    if diagonal.dims == ():
        raise bad_shape("Diag", want="have rank 1 at least", diagonal=diagonal)
    return None if diagonal.dims is None else diagonal.dims * 2


@op("Diag", "diagonal: T -> output: T", T=_DIAGONAL, shape=_tensor_diag_shape)
def _tensor_diag(xp: Namespace, diagonal: Array) -> Array:
    if diagonal.ndim == 0:
        raise ValueError("a scalar has no diagonal")
    places = np.arange(diagonal.size)
    square = xp.zeros((diagonal.size, diagonal.size), diagonal.dtype)
    return scatter(xp, square, (places, places), diagonal.ravel()).reshape(diagonal.shape * 2)


@RegisterGradient("Diag", needs="")
def _tensor_diag_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.DiagPart(dy)


def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """Zeros of twice the rank, with the elements of `diagonal` where both halves of an index agree.

    >>> tf.linalg.tensor_diag([1, 2]).numpy()
    array([[1, 0],
           [0, 2]], dtype=int32)
    """
    return raw_ops.Diag(diagonal, name=name)


def _tensor_diag_part_shape(input: Spec) -> Dims:
    if input.dims is None:
        return None
    if not input.dims:
        raise bad_shape("DiagPart", want="be two times the same shape", input=input)
    half = len(input.dims) // 2
    first, second = input.dims[:half], input.dims[half:]
    fits = len(first) == len(second) and all(a == b for a, b in zip(first, second) if a and b)
    if not fits:
        raise bad_shape("DiagPart", want="be two times the same shape", input=input)
    return tuple(b if a is None else a for a, b in zip(first, second))


@op("DiagPart", "input: T -> diagonal: T", T=_DIAGONAL, shape=_tensor_diag_part_shape)
def _tensor_diag_part(xp: Namespace, input: Array) -> Array:
    half = input.ndim // 2
    if input.shape[:half] != input.shape[half:]:
        raise ValueError("the two halves of the shape differ")
    size = int(np.prod(input.shape[:half], dtype=int))
    return xp.diagonal(input.reshape((size, size))).reshape(input.shape[:half])


@RegisterGradient("DiagPart", needs="")
def _tensor_diag_part_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.Diag(dy)


def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The elements of `input` where both halves of an index agree.

    >>> tf.linalg.tensor_diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    """
    return raw_ops.DiagPart(input, name=name)
