"""`tf.experimental.numpy`: products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.linalg import einsum as einsums
from runnel.ops.linalg import matmul as matmuls
from runnel.ops.linalg import tensordot as tensordots
from runnel.ops.numpy_api.elementwise import conj
from runnel.ops.numpy_api.indexing import diagonal
from runnel.ops.numpy_api.manipulation import moveaxis, rank_of, ravel
from runnel.ops.numpy_api.promotion import as_type, change_dtype, promoted, promoted_as_numpy
from runnel.ops.numpy_api.reductions import sum as sum_


def matmul(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The matrix product of the last two axes; vectors are rows and columns.

    >>> tf.experimental.numpy.matmul([1, 2], [[1, 0], [0, 3]]).numpy()
    array([1, 6])
    """
    x, y = promoted(x1, x2)
    if rank_of(x) == 0 or rank_of(y) == 0:
        raise ValueError("matmul: Input operand does not have enough dimensions.")
    if rank_of(x) == 1 and rank_of(y) == 1:
        return tensordots.tensordot(x, y, axes=1)
    if rank_of(y) == 1:
        return tensordots.tensordot(x, y, axes=1)
    if rank_of(x) == 1:
        return tensordots.tensordot(x, y, axes=[[0], [rank_of(y) - 2]])
    try:
        return matmuls.matmul(x, y)
    except InvalidArgumentError as error:  # as NumPy has it
        raise ValueError(error.message) from None


def dot(a: TensorLike, b: TensorLike) -> Tensor:
    """The sum of products over the last axis of `a` and the second to last of `b`.

    >>> tf.experimental.numpy.dot([1, 2], [3, 4]).numpy()
    np.int64(11)
    """
    x, y = promoted_as_numpy(a, b)
    if rank_of(x) == 0 or rank_of(y) == 0:
        return raw_ops.Mul(x, y)
    return tensordots.tensordot(x, y, axes=[[-1], [-1 if rank_of(y) == 1 else -2]])


def inner(a: TensorLike, b: TensorLike) -> Tensor:
    """The sum of products over the last axes of both."""
    x, y = promoted_as_numpy(a, b)
    if rank_of(x) == 0 or rank_of(y) == 0:
        return raw_ops.Mul(x, y)
    return tensordots.tensordot(x, y, axes=[[-1], [-1]])


def vdot(a: TensorLike, b: TensorLike) -> Tensor:
    """The sum of products of all elements, those of `a` conjugated."""
    x, y = promoted(a, b)
    return dot(conj(ravel(x)), ravel(y))


def outer(a: TensorLike, b: TensorLike) -> Tensor:
    """The product of every element of `a` with every element of `b`.

    >>> tf.experimental.numpy.outer([1, 2], [3, 4]).numpy().tolist()
    [[3, 4], [6, 8]]
    """
    x, y = (ravel(v) for v in promoted_as_numpy(a, b))
    column = raw_ops.ExpandDims(x, np.int32(1))
    return raw_ops.LogicalAnd(column, y) if x.dtype is dtypes.bool else raw_ops.Mul(column, y)


def tensordot(a: TensorLike, b: TensorLike, axes: Any = 2) -> Tensor:
    """The sum of products over pairs of axes."""
    x, y = promoted_as_numpy(a, b)
    return tensordots.tensordot(x, y, axes=axes)


def einsum(subscripts: str, *operands: TensorLike, **kwargs: Any) -> Tensor:
    """Einstein's summation over tensors in their common dtype.

    >>> tf.experimental.numpy.einsum("ij->j", [[1, 2], [3, 4]]).numpy()
    array([4, 6])
    """
    casting = kwargs.pop("casting", "safe")
    optimize = kwargs.pop("optimize", False)
    if casting != "safe":
        raise ValueError(f"casting: only 'safe' is supported, got {casting!r}.")
    if kwargs:
        raise ValueError(f"Unsupported arguments: {sorted(kwargs)}.")
    way = {"greedy": "greedy", "optimal": "optimal"}.get(
        optimize if isinstance(optimize, str) else "", "greedy"
    )
    return einsums.einsum(subscripts, *promoted(*operands), optimize=way)


def kron(a: TensorLike, b: TensorLike) -> Tensor:
    """Kronecker's product: `b` in blocks, each multiplied by an element of `a`.

    >>> tf.experimental.numpy.kron([1, 10], [1, 2]).numpy()
    array([ 1,  2, 10, 20])
    """
    x, y = promoted(a, b)
    rank = max(rank_of(x), rank_of(y))
    spread = []
    for t, offset in ((x, 0), (y, 1)):
        while rank_of(t) < rank:
            t = raw_ops.ExpandDims(t, np.int32(0))
        spread.append(_interleaved(t, offset))
    product = raw_ops.LogicalAnd(*spread) if x.dtype is dtypes.bool else raw_ops.Mul(*spread)
    sizes = product.shape.as_list()
    if None in sizes:
        raise ValueError("kron: the shapes must be known.")
    joined = [m * n for m, n in zip(sizes[::2], sizes[1::2])]
    return raw_ops.Reshape(product, np.array(joined, np.int32))


def _interleaved(t: Tensor, offset: int) -> Tensor:
    """`t` with an axis of size 1 after (offset 0) or before each of its own."""
    dims: list[Any] = []
    for size in t.shape.as_list():
        dims.extend([size, 1] if offset == 0 else [1, size])
    return raw_ops.Reshape(t, np.array(dims, np.int32))


def cross(
    a: TensorLike,
    b: TensorLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Tensor:
    """The cross product of vectors of two or three elements.

    >>> tf.experimental.numpy.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = promoted(a, b)
    x, y = moveaxis(x, axisa, -1), moveaxis(y, axisb, -1)
    sizes = x.shape[-1], y.shape[-1]
    if any(size not in (2, 3) for size in sizes):
        raise ValueError("Incompatible dimensions for cross product (must be 2 or 3).")
    last = x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0]
    if sizes == (2, 2):
        return last
    x2 = x[..., 2] if sizes[0] == 3 else raw_ops.ZerosLike(x[..., 0])
    y2 = y[..., 2] if sizes[1] == 3 else raw_ops.ZerosLike(y[..., 0])
    parts = [x[..., 1] * y2 - x2 * y[..., 1], x2 * y[..., 0] - x[..., 0] * y2, last]
    return moveaxis(raw_ops.Pack(parts, axis=-1), -1, axisc)


def trace(
    a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike = None
) -> Tensor:
    """The sum of a diagonal.

    >>> tf.experimental.numpy.trace([[1, 2], [3, 4]]).numpy()
    np.int64(5)
    """
    found = sum_(diagonal(a, offset, axis1, axis2), -1)
    return change_dtype(found, None if dtype is None else as_type(dtype))
