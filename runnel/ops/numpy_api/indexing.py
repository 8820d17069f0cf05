"""`tf.experimental.numpy`: elements found, chosen, sorted and put in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_dtype
from runnel.core.values.types import TensorLike
from runnel.ops.array import diagonals, gathering, joining, selecting
from runnel.ops.numpy_api.manipulation import moveaxis, rank_of, ravel
from runnel.ops.numpy_api.promotion import as_type, asarray, promoted
from runnel.ops.reduce import ordering


def where(condition: TensorLike, x: TensorLike = None, y: TensorLike = None) -> Any:
    """`x` where the condition holds and `y` elsewhere; alone, the indices where it holds.

    >>> tf.experimental.numpy.where([True, False], 1, 2).numpy()
    array([1, 2])
    """
    condition = asarray(condition, dtypes.bool)
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    first, second = promoted(x, y)
    return raw_ops.SelectV2(condition, first, second)


def nonzero(a: TensorLike) -> Any:
    """The indices of the elements that are not zero, one array for each axis.

    >>> tf.experimental.numpy.nonzero([0, 3, 0, 4])[0].numpy()
    array([1, 3])
    """
    a = asarray(a)
    if rank_of(a) == 0:
        a = raw_ops.Reshape(a, np.array([1], np.int32))
    mask = a if a.dtype is dtypes.bool else raw_ops.NotEqual(a, asarray(0, a.dtype))
    return raw_ops.Unpack(raw_ops.Where(mask), num=rank_of(a), axis=1)


def select(
    condlist: Sequence[TensorLike], choicelist: Sequence[TensorLike], default: TensorLike = 0
) -> Tensor:
    """For each element the choice whose condition holds first.

    >>> tf.experimental.numpy.select([[True, False], [True, True]], [[1, 2], [3, 4]]).numpy()
    array([1, 4])
    """
    if len(condlist) != len(choicelist):
        raise ValueError("condlist must have the same length as choicelist.")
    if not condlist:
        raise ValueError("condlist must not be empty.")
    *choices, found = promoted(*choicelist, default)
    for condition, choice in zip(reversed(condlist), reversed(choices)):
        found = raw_ops.SelectV2(asarray(condition, dtypes.bool), choice, found)
    return found


def take(
    a: TensorLike, indices: TensorLike, axis: int | None = None, out: Any = None, mode: str = "clip"
) -> Tensor:
    """The elements at `indices` along an axis; those out of range are clipped or wrapped.

    >>> tf.experimental.numpy.take([1, 2, 3], [0, 7]).numpy()
    array([1, 3])
    """
    if out is not None:
        raise ValueError("out argument is not supported in take.")
    if mode not in ("raise", "clip", "wrap"):
        raise ValueError(f"Invalid mode '{mode}' for take.")
    a, indices = asarray(a), asarray(indices)
    if not indices.dtype.is_integer:
        raise bad_dtype("take", want="hold integers", indices=indices)
    if np.ndim(np.asarray(axis)) > 1:
        raise TypeError(f"take: `axis` must be an integer, got {axis!r}.")
    if axis is None:
        a, axis = ravel(a), 0
    size = asarray(raw_ops.Shape(a)[axis], indices.dtype)
    if mode == "wrap":
        indices = raw_ops.FloorMod(indices, size)
    else:
        indices = raw_ops.Minimum(raw_ops.Maximum(indices, 0), size - 1)
    return gathering.gather(a, indices, axis=axis)


def take_along_axis(arr: TensorLike, indices: TensorLike, axis: int | None) -> Tensor:
    """The elements that `argsort` and its like point at, along an axis.

    >>> tf.experimental.numpy.take_along_axis([[3, 1], [2, 4]], [[1], [0]], 1).numpy()
    array([[1],
           [2]])
    """
    arr, indices = asarray(arr), asarray(indices)
    if axis is None:
        return take_along_axis(ravel(arr), indices, 0)
    last = moveaxis(arr, axis, -1)
    wanted = moveaxis(indices, axis, -1)
    size = asarray(raw_ops.Shape(last)[-1], wanted.dtype)
    wanted = raw_ops.SelectV2(raw_ops.Less(wanted, 0), wanted + size, wanted)
    rank = rank_of(last)
    front = raw_ops.BroadcastArgs(raw_ops.Shape(last)[:-1], raw_ops.Shape(wanted)[:-1])
    last, wanted = (_spread(t, front) for t in (last, wanted))
    found = gathering.gather(last, wanted, axis=rank - 1, batch_dims=rank - 1)
    return moveaxis(found, -1, axis)


def _spread(x: Tensor, front: Tensor) -> Tensor:
    """`x` broadcast to `front` in all axes but the last."""
    return raw_ops.BroadcastTo(x, joining.concat([front, raw_ops.Shape(x)[-1:]], 0))


def compress(condition: TensorLike, a: TensorLike, axis: int | None = None) -> Tensor:
    """The slices along an axis for which the condition holds.

    >>> tf.experimental.numpy.compress([True, False, True], [1, 2, 3]).numpy()
    array([1, 3])
    """
    condition, a = asarray(condition, dtypes.bool), asarray(a)
    if rank_of(condition) != 1:
        raise ValueError("condition must be a 1-d array.")
    if axis is None:
        a, axis = ravel(a), 0
    if not rank_of(a):
        raise ValueError(f"compress: `a` must have an axis {axis}, got shape {a.shape}.")
    axis %= rank_of(a)
    count = raw_ops.Size(condition)
    sizes = [-1] * rank_of(a)
    sizes[axis] = int(condition.shape[0] or 0)
    a = (
        raw_ops.Slice(a, np.zeros(rank_of(a), np.int32), np.array(sizes, np.int32))
        if count is not None
        else a
    )
    return selecting.boolean_mask(a, condition, axis=axis)


def sort(
    a: TensorLike, axis: int | None = -1, kind: str = "quicksort", order: Any = None
) -> Tensor:
    """The elements in rising order along an axis, or all in a row.

    >>> tf.experimental.numpy.sort([3, 1, 2]).numpy()
    array([1, 2, 3])
    """
    _check_sort(kind, order)
    a = asarray(a)
    if axis is None:
        return ordering.sort(ravel(a), 0)
    return ordering.sort(a, axis)


def argsort(
    a: TensorLike, axis: int | None = -1, kind: str = "quicksort", order: Any = None
) -> Tensor:
    """The indices that bring the elements into rising order."""
    _check_sort(kind, order)
    a = asarray(a)
    if axis is None:
        a, axis = ravel(a), 0
    found = ordering.argsort(a, axis, stable=kind == "stable")
    return raw_ops.Cast(found, DstT=as_type(int))


def _check_sort(kind: str, order: Any) -> None:
    if kind not in ("quicksort", "stable"):
        raise ValueError(
            f"Invalid value for argument `kind`: {kind!r}. Use 'quicksort' or 'stable'."
        )
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None.")


def ix_(*args: TensorLike) -> list[Tensor]:
    """Index arrays that name every combination of the given indices.

    >>> [part.shape.as_list() for part in tf.experimental.numpy.ix_([0, 1], [2, 3, 4])]
    [[2, 1], [1, 3]]
    """
    found = []
    for i, a in enumerate(map(asarray, args)):
        if rank_of(a) != 1:
            raise ValueError("Arguments must be 1-d.")
        if a.dtype is dtypes.bool:
            a = nonzero(a)[0]
        dims = [1] * len(args)
        dims[i] = -1
        found.append(raw_ops.Reshape(a, np.array(dims, np.int32)))
    return found


def diff(a: TensorLike, n: int = 1, axis: int = -1) -> Tensor:
    """The differences of neighbours along an axis, `n` times.

    >>> tf.experimental.numpy.diff([1, 4, 9]).numpy()
    array([3, 5])
    """
    a = asarray(a)
    if n < 0:
        raise ValueError(f"Argument `order` must be a non-negative integer, got {n}.")
    axis = _axis(axis, rank_of(a))
    before: Any = (slice(None),) * axis
    for _ in range(n):
        later, earlier = a[(*before, slice(1, None))], a[(*before, slice(None, -1))]
        different = raw_ops.NotEqual if a.dtype is dtypes.bool else raw_ops.Sub
        a = different(later, earlier)
    return a


def _axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {rank}.")
    return axis % rank


def diag(v: TensorLike, k: int = 0) -> Tensor:
    """A matrix with `v` on its `k`-th diagonal; of a matrix, that diagonal.

    >>> tf.experimental.numpy.diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    v = asarray(v)
    if rank_of(v) == 2:
        return diagonal(v, k)
    if rank_of(v) != 1:
        raise ValueError("v must be a vector or a matrix.")
    return diagonals.diag(v, k=k)


def diagflat(v: TensorLike, k: int = 0) -> Tensor:
    """A matrix with all elements of `v` on its `k`-th diagonal."""
    return diag(ravel(v), k)


def diagonal(a: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal of the matrices in two axes.

    >>> tf.experimental.numpy.diagonal([[1, 2], [3, 4]]).numpy()
    array([1, 4])
    """
    a = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = a.shape[-2], a.shape[-1]
    if rows is not None and columns is not None and (offset <= -rows or offset >= columns):
        return a[..., 0, :0]
    return diagonals.diag_part(a, k=offset)


def tril(m: TensorLike, k: int = 0) -> Tensor:
    """`m` with zeros above the `k`-th diagonal."""
    return _triangle(m, lambda rows, columns: columns - rows <= k)


def triu(m: TensorLike, k: int = 0) -> Tensor:
    """`m` with zeros below the `k`-th diagonal.

    >>> tf.experimental.numpy.triu([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [0, 4]]
    """
    return _triangle(m, lambda rows, columns: columns - rows >= k)


def _triangle(m: TensorLike, keep: Any) -> Tensor:
    m = asarray(m)
    if rank_of(m) < 2:
        raise ValueError("Argument to tril or triu must have rank at least 2.")
    shape = raw_ops.Shape(m)
    rows = raw_ops.Range(np.int32(0), shape[-2], np.int32(1))
    columns = raw_ops.Range(np.int32(0), shape[-1], np.int32(1))
    mask = keep(raw_ops.ExpandDims(rows, np.int32(1)), columns)
    return raw_ops.SelectV2(mask, m, asarray(0, m.dtype))
