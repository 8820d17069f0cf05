"""Matrices as wholes: the identity, transposes, traces, cross products."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.op.context import state
from runnel.core.settings.arguments import check_room, integer
from runnel.core.tensor.convert import emit
from runnel.core.tensor.static import constant_value
from runnel.core.values import dtypes
from runnel.core.values.dtypes import REAL, as_dtype
from runnel.core.values.errors import FailedPreconditionError, bad_shape, describe_value
from runnel.core.values.types import (
    Array,
    Dims,
    DTypeLike,
    Gradients,
    Namespace,
    ShapeLike,
    Spec,
    TensorLike,
)
from runnel.ops.array.diagonals import LAST
from runnel.ops.array.shaping import index_tensor


@scoped("eye")
def eye(
    num_rows: TensorLike,
    num_columns: TensorLike = None,
    batch_shape: ShapeLike = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The identity matrix, or a batch of them.

    Args:
        num_rows, num_columns: the size; None for as many columns as rows.
        batch_shape: sizes in front, for many such matrices.
        dtype: the dtype of the result.

    >>> tf.eye(2).numpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    dtype = as_dtype(dtype)
    if num_columns is None:
        num_columns = num_rows
    num_rows = _count("num_rows", num_rows)
    num_columns = _count("num_columns", num_columns)
    if batch_shape is not None and not isinstance(batch_shape, Tensor):
        batch_shape = index_tensor(batch_shape)
        if batch_shape.dtype.is_floating or batch_shape.dtype.is_complex:
            got = describe_value(batch_shape)
            raise TypeError(f"eye: `batch_shape` must hold integers, got {got}.")
        if not batch_shape.dtype.is_integer or batch_shape.ndim != 1:
            got = describe_value(batch_shape)
            raise ValueError(f"eye: `batch_shape` must be a list of integers, got {got}.")
    one = convert_to_tensor(True if dtype.is_bool else 1, dtype=dtype)
    sizes = (num_rows, num_columns, [] if batch_shape is None else batch_shape)
    known: list[Any] = [_known(v) for v in sizes]
    if state.graph is None and all(k is not None and np.min(k, initial=0) >= 0 for k in known):
        return emit(_eye(int(known[0]), int(known[1]), tuple(np.ravel(known[2]).tolist()), dtype))
    rows, columns = (convert_to_tensor(n, dtypes.int32) for n in (num_rows, num_columns))
    length = raw_ops.ExpandDims(raw_ops.Minimum(rows, columns), np.int32(0))
    if batch_shape is not None:
        batch = raw_ops.Cast(convert_to_tensor(batch_shape), DstT=dtypes.int32)
        length = raw_ops.ConcatV2([batch, length], np.int32(0))
    zero = np.zeros((), dtype.np_dtype)
    return raw_ops.MatrixDiagV3(
        raw_ops.Fill(length, one), np.int32(0), rows, columns, zero, name=name
    )


def _count(name: str, value: Any) -> Any:
    if isinstance(value, bool):
        raise TypeError(f"eye: `{name}` must be an integer, got {value}.")
    return value if isinstance(value, Tensor) else integer("eye", name, value)


def _known(value: Any) -> np.ndarray | None:
    return constant_value(value) if isinstance(value, Tensor) else np.asarray(value)


def _eye(rows: int, columns: int, batch: tuple[int, ...], dtype: Any) -> np.ndarray:
    check_room("eye", (*batch, rows, columns), dtype.size)
    return np.broadcast_to(np.eye(rows, columns, dtype=dtype.np_dtype), (*batch, rows, columns))


@scoped("matrix_transpose")
def matrix_transpose(
    a: TensorLike, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """`a` with its last two axes exchanged, and conjugated if so wished.

    >>> tf.linalg.matrix_transpose([[1, 2, 3]]).shape
    TensorShape([3, 1])
    """
    a = convert_to_tensor(a)
    rank = a.ndim
    if rank is None:
        count = raw_ops.Rank(a)
        front = raw_ops.Range(np.int32(0), count - 2, np.int32(1))
        order: Any = raw_ops.ConcatV2([front, raw_ops.Pack([count - 1, count - 2])], np.int32(0))
    elif rank < 2:
        raise ValueError(f"matrix_transpose: `a` must have rank 2 at least, got shape {a.shape}.")
    else:
        order = np.array([*range(rank - 2), rank - 1, rank - 2], np.int32)
    swapped = raw_ops.Transpose(a, order, name=name)
    return raw_ops.Conj(swapped) if conjugate and a.dtype.is_complex else swapped


@scoped("adjoint")
def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The conjugate transpose of matrices.

    >>> tf.linalg.adjoint([[1 + 2j]]).numpy()
    array([[1.-2.j]])
    """
    return matrix_transpose(convert_to_tensor(matrix), name=name, conjugate=True)


@scoped("Trace", last=True)
def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of matrices.

    >>> tf.linalg.trace([[1, 2], [3, 4]]).numpy()
    np.int32(5)
    """
    x = convert_to_tensor(x)
    if x.dtype is dtypes.string:
        raise TypeError("trace: `x` must hold numbers, got strings.")
    zero = np.zeros((), x.dtype.np_dtype)
    return raw_ops.Sum(raw_ops.MatrixDiagPartV3(x, np.int32(0), zero), LAST, name=name)


def _cross_shape(a: Spec, b: Spec) -> Dims:
    _check_cross(a, b)
    return b.dims if a.dims is None else a.dims


def _check_cross(a: Any, b: Any) -> None:
    one, other = getattr(a, "dims", a.shape), getattr(b, "dims", b.shape)
    if one is None or other is None:
        return
    if len(one) != len(other) or any(
        m != n for m, n in zip(one, other) if m is not None and n is not None
    ):
        raise bad_shape("Cross", want=f"have the shape {one} of `a`", b=b)
    if not one:
        raise bad_shape("Cross", want="have rank 1 at least", a=a)
    if one[-1] not in (None, 3):
        message = f"Cross: `a` must hold vectors of 3 elements, got shape {one}. [Op:Cross]"
        raise (
            ValueError(message)
            if state.graph is not None
            else FailedPreconditionError(None, None, message)
        )


@op("Cross", "a: T[1+], b: T[1+] -> product: T", T=REAL, shape=_cross_shape, check=_check_cross)
def _cross(xp: Namespace, a: Array, b: Array) -> Array:
    a0, a1, a2 = (a[..., i] for i in range(3))
    b0, b1, b2 = (b[..., i] for i in range(3))
    return xp.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


@RegisterGradient("Cross", needs="a b")
def _cross_grad(op: Any, dy: Tensor) -> Gradients:
    a, b = op.inputs
    return raw_ops.Cross(b, dy), raw_ops.Cross(dy, a)


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross product of vectors of three elements.

    >>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1], dtype=int32)
    """
    return raw_ops.Cross(a, b, name=name)
