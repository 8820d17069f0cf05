"""`tf.experimental.numpy`: arrays of another shape or order, joined, split and repeated."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.settings.arguments import integer, integers
from runnel.core.tensor.static import constant_value
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import ShapeLike, TensorLike
from runnel.ops.array import joining, padding, repeating, splitting
from runnel.ops.array.shaping import index_operand
from runnel.ops.numpy_api.creation import broadcast_together
from runnel.ops.numpy_api.promotion import asarray, promoted

_FLAT = np.array([-1], np.int32)


def rank_of(a: Tensor) -> int:
    rank = a.shape.rank
    if rank is None:
        raise ValueError("tf.experimental.numpy needs arrays of known rank. Use tf.ensure_shape.")
    return rank


def ravel(a: TensorLike) -> Tensor:
    """All elements in one row.

    >>> tf.experimental.numpy.ravel([[1, 2], [3, 4]]).numpy()
    array([1, 2, 3, 4])
    """
    return raw_ops.Reshape(asarray(a), _FLAT)


def flatten(a: TensorLike, order: str = "C") -> Tensor:
    """All elements in one row; with order "F" column by column.

    >>> tf.experimental.numpy.flatten([[1, 2], [3, 4]], "F").numpy()
    array([1, 3, 2, 4])
    """
    a = asarray(a)
    if order in ("C", "A", "K"):
        return raw_ops.Reshape(a, _FLAT)
    if order != "F":
        raise ValueError(f"order can only be C, A, K (all row major) or F, got {order!r}.")
    return raw_ops.Reshape(transpose(a), _FLAT)


def reshape(a: TensorLike, newshape: ShapeLike, order: str = "C") -> Tensor:
    """The elements of `a` in another shape; one size may be -1.

    >>> tf.experimental.numpy.reshape([1, 2, 3, 4], (2, -1)).numpy().tolist()
    [[1, 2], [3, 4]]
    """
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order!r}: use 'C' or 'F'.")
    a = asarray(a)
    dims = convert_to_tensor([newshape] if isinstance(newshape, numbers.Integral) else newshape)
    if order == "C":
        return raw_ops.Reshape(a, dims)
    return transpose(raw_ops.Reshape(transpose(a), np.asarray(constant_value(dims))[::-1].copy()))


def _order(a: Tensor, axes: Any) -> list[int]:
    rank = rank_of(a)
    if not rank:
        raise bad_shape("transpose", want="have axes", a=a)
    listed = list(axes) if np.ndim(axes) else [axes]
    if any(isinstance(i, float | str | list | tuple) for i in listed):
        raise bad_value("transpose", want="be a list of integers", axes=axes)
    return [integer("transpose", "axes", i) % rank for i in listed]


def place_of(axis: Any, rank: int) -> int:
    """An axis counted from the front."""
    axis = integer("an axis", "axis", axis)
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} is out of bounds for array of dimension {rank}.")
    return axis % rank


def transpose(a: TensorLike, axes: Sequence[int] | None = None) -> Tensor:
    """`a` with its axes in another order, by default reversed.

    >>> tf.experimental.numpy.transpose([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    a = asarray(a)
    order = range(rank_of(a))[::-1] if axes is None else _order(a, axes)
    return raw_ops.Transpose(a, np.array(order, np.int32))


def swapaxes(a: TensorLike, axis1: int, axis2: int) -> Tensor:
    """`a` with two axes exchanged."""
    a = asarray(a)
    order = list(range(rank_of(a)))
    one, other = (place_of(axis, rank_of(a)) for axis in (axis1, axis2))
    order[one], order[other] = order[other], order[one]
    return transpose(a, order)


def moveaxis(a: TensorLike, source: Any, destination: Any) -> Tensor:
    """`a` with axes moved to other places.

    >>> tf.experimental.numpy.moveaxis(tf.zeros([1, 2, 3]), 0, -1).shape
    TensorShape([2, 3, 1])
    """
    a = asarray(a)
    rank = rank_of(a)
    old, new = (
        [place_of(i, rank) for i in np.atleast_1d(axes).tolist()] for axes in (source, destination)
    )
    if len(old) != len(new):
        raise ValueError("The lengths of source and destination must equal.")
    order = [i for i in range(rank) if i not in old]
    for place, axis in sorted(zip(new, old)):
        order.insert(place, axis)
    return transpose(a, order)


def expand_dims(a: TensorLike, axis: int) -> Tensor:
    """`a` with a new axis of size 1."""
    return raw_ops.ExpandDims(asarray(a), integers("expand_dims", "axis", axis))


def squeeze(a: TensorLike, axis: Any = None) -> Tensor:
    """`a` without axes of size 1: all of them, or those named."""
    return raw_ops.Squeeze(asarray(a), axis=[] if axis is None else np.atleast_1d(axis).tolist())


def atleast_1d(*arys: TensorLike) -> Any:
    """Each array with at least one axis."""
    return _at_least(1, arys)


def atleast_2d(*arys: TensorLike) -> Any:
    """Each array with at least two axes, new ones in front."""
    return _at_least(2, arys)


def atleast_3d(*arys: TensorLike) -> Any:
    """Each array with at least three axes: vectors become `[1, n, 1]`, matrices `[m, n, 1]`."""
    return _at_least(3, arys)


_NEW_AXES: dict[tuple[int, int], list[int]] = {
    (1, 0): [0],
    (2, 0): [0, 0],
    (2, 1): [0],
    (3, 0): [0, 0, 0],
    (3, 1): [0, 2],
    (3, 2): [2],
}


def _at_least(wanted: int, arrays: Sequence[TensorLike]) -> Any:
    found = []
    for a in map(asarray, arrays):
        for axis in _NEW_AXES.get((wanted, rank_of(a)), []):
            a = expand_dims(a, axis)
        found.append(a)
    return found[0] if len(found) == 1 else found


def broadcast_to(array: TensorLike, shape: ShapeLike) -> Tensor:
    """`array` repeated to fill a shape."""
    if isinstance(shape, list | tuple) and any(isinstance(size, Tensor) for size in shape):
        shape = raw_ops.Pack([convert_to_tensor(size, "int32") for size in shape])
    elif not isinstance(shape, Tensor):
        shape = integers("broadcast_to", "shape", shape).reshape(-1)
    return raw_ops.BroadcastTo(asarray(array), shape)


def broadcast_arrays(*args: TensorLike, **kwargs: Any) -> list[Tensor]:
    """The arrays, each repeated to the shape they have together."""
    if kwargs.pop("subok", False):
        raise ValueError("subok=True is not supported.")
    if kwargs:
        raise ValueError(f"Received unsupported arguments {sorted(kwargs)}.")
    return broadcast_together([asarray(a) for a in args])


def concatenate(arys: Any, axis: int | None = 0) -> Tensor:
    """The arrays one after another along an axis, in their common dtype.

    >>> tf.experimental.numpy.concatenate([[1, 2], [3.5]]).numpy()
    array([1. , 2. , 3.5])
    """
    arrays = promoted(*arys) if isinstance(arys, list | tuple) else _rows(arys)
    if axis is None:
        arrays, axis = [raw_ops.Reshape(a, _FLAT) for a in arrays], 0
    if not arrays:
        raise ValueError("concatenate: there must be one array at least, got none.")
    return raw_ops.ConcatV2(arrays, axis)


def _rows(arrays: TensorLike) -> list[Tensor]:
    return joining.unstack(asarray(arrays))


def append(arr: TensorLike, values: TensorLike, axis: int | None = None) -> Tensor:
    """`values` after `arr`, along an axis or both in one row."""
    return concatenate([asarray(arr), asarray(values)], axis)


def stack(arrays: Any, axis: int = 0) -> Tensor:
    """The arrays along a new axis, in their common dtype."""
    if not isinstance(arrays, list | tuple):
        if arrays is None or isinstance(arrays, numbers.Number):
            raise TypeError(f"stack: `arrays` must be a list of arrays, got {arrays!r}.")
        arrays = asarray(arrays)
        if rank_of(arrays) < 2 and axis:
            raise ValueError(f"stack: `arrays` must hold arrays of rank {axis}, got {arrays!r}.")
        return arrays if axis == 0 else swapaxes(arrays, 0, axis)
    if not arrays:
        raise ValueError("stack: there must be one array at least, got none.")
    parts = promoted(*arrays)
    rank = rank_of(parts[0]) + 1
    finite: Any = axis
    axis = int(finite) if type(axis) is float and math.isfinite(finite) else axis
    axis = integer("stack", "axis", axis)
    if not -rank <= axis < rank:
        raise ValueError(f"stack: `axis` must be in [{-rank}, {rank}), got {axis}.")
    return raw_ops.Pack(parts, axis=axis)


def hstack(tup: Any) -> Tensor:
    """The arrays side by side: along the second axis, vectors along the first."""
    arrays = [atleast_1d(a) for a in promoted(*tup)]
    return concatenate(arrays, 0 if rank_of(arrays[0]) == 1 else 1)


def vstack(tup: Any) -> Tensor:
    """The arrays as rows below each other."""
    return concatenate([atleast_2d(a) for a in promoted(*tup)], 0)


def dstack(tup: Any) -> Tensor:
    """The arrays behind each other: along the third axis."""
    return concatenate([atleast_3d(a) for a in promoted(*tup)], 2)


def split(ary: TensorLike, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """`ary` cut into equal parts, or at the given places.

    >>> [part.numpy().tolist() for part in tf.experimental.numpy.split([1, 2, 3, 4], [1, 3])]
    [[1], [2, 3], [4]]
    """
    ary = asarray(ary)
    if isinstance(indices_or_sections, int):
        return splitting.split(ary, indices_or_sections, axis=axis)
    if not isinstance(indices_or_sections, list | tuple | np.ndarray | Tensor):
        want = "must be an integer or a list of them"
        raise TypeError(f"split: `indices_or_sections` {want}, got {indices_or_sections!r}.")
    if np.ndim(found := np.asarray(indices_or_sections)) != 1 or found.dtype.kind not in "iuf":
        raise TypeError(f"split: the places must be integers, got {indices_or_sections!r}.")
    size = ary.shape[place_of(axis, rank_of(ary))]
    places = np.clip(np.asarray(indices_or_sections), 0, size)
    return splitting.split(ary, np.diff(np.concatenate([[0], places, [size]])).tolist(), axis=axis)


def hsplit(ary: TensorLike, indices_or_sections: Any) -> list[Tensor]:
    """`ary` cut along the second axis, a vector along its only one."""
    ary = asarray(ary)
    return split(ary, indices_or_sections, axis=0 if rank_of(ary) == 1 else 1)


def vsplit(ary: TensorLike, indices_or_sections: Any) -> list[Tensor]:
    """`ary` cut along the first axis."""
    return split(ary, indices_or_sections, axis=0)


def dsplit(ary: TensorLike, indices_or_sections: Any) -> list[Tensor]:
    """`ary` cut along the third axis."""
    return split(ary, indices_or_sections, axis=2)


def tile(a: TensorLike, reps: Any) -> Tensor:
    """`a` repeated as a whole along its axes.

    >>> tf.experimental.numpy.tile([1, 2], 2).numpy()
    array([1, 2, 1, 2])
    """
    a = asarray(a)
    times = np.atleast_1d(np.asarray(constant_value(reps))).astype(np.int32)
    rank = rank_of(a)
    while rank < len(times):
        a, rank = expand_dims(a, 0), rank + 1
    full = np.concatenate([np.ones(rank - len(times), np.int32), times])
    return raw_ops.Tile(a, full)


def repeat(a: TensorLike, repeats: Any, axis: int | None = None) -> Tensor:
    """`a` with each element repeated, along an axis or all in a row.

    >>> tf.experimental.numpy.repeat([1, 2], 2).numpy()
    array([1, 1, 2, 2])
    """
    return repeating.repeat(asarray(a), repeats, axis=axis)


def flip(m: TensorLike, axis: Any = None) -> Tensor:
    """`m` with the order of the elements reversed along some axes, by default along all."""
    m = asarray(m)
    axes = range(rank_of(m)) if axis is None else np.atleast_1d(axis).tolist()
    return raw_ops.ReverseV2(m, np.array([place_of(i, rank_of(m)) for i in axes], np.int32))


def fliplr(m: TensorLike) -> Tensor:
    """`m` with its columns reversed."""
    return flip(m, 1)


def flipud(m: TensorLike) -> Tensor:
    """`m` with its rows reversed."""
    return flip(m, 0)


def roll(a: TensorLike, shift: Any, axis: Any = None) -> Tensor:
    """`a` with its elements moved round along axes, or as one row.

    >>> tf.experimental.numpy.roll([1, 2, 3], 1).numpy()
    array([3, 1, 2])
    """
    a = asarray(a)
    if axis is not None:
        places = (integers("roll", name, v) for name, v in (("shift", shift), ("axis", axis)))
        return raw_ops.Roll(a, *places)
    flat = raw_ops.Roll(raw_ops.Reshape(a, _FLAT), index_operand(shift), np.int32(0))
    return raw_ops.Reshape(flat, raw_ops.Shape(a))


def rot90(m: TensorLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> Tensor:
    """`m` turned by quarters of a circle in the plane of two axes."""
    m = asarray(m)
    first, second = (place_of(axis, rank_of(m)) for axis in axes)
    k %= 4
    if k == 0:
        return m
    if k == 2:
        return flip(flip(m, first), second)
    order = list(range(rank_of(m)))
    order[first], order[second] = order[second], order[first]
    return transpose(flip(m, second), order) if k == 1 else flip(transpose(m, order), second)


def pad(array: TensorLike, pad_width: Any, mode: str, **kwargs: Any) -> Tensor:
    """`array` with more elements around it: "constant", "reflect" or "symmetric".

    >>> tf.experimental.numpy.pad([1, 2], [[1, 1]], "constant", constant_values=7).numpy()
    array([7, 1, 2, 7])
    """
    constant = kwargs.get("constant_values", 0)
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}")
    array = asarray(array)
    widths = np.broadcast_to(integers("pad", "pad_width", pad_width), (rank_of(array), 2))
    return padding.pad(array, widths, mode, constant_values=asarray(constant, array.dtype))


def shape(a: TensorLike) -> Any:
    """The size of each axis."""
    return asarray(a).shape


def ndim(a: TensorLike) -> int | None:
    """The number of axes."""
    return asarray(a).shape.rank


def size(x: TensorLike, axis: int | None = None) -> Any:
    """The number of elements, as an integer where it is known."""
    if axis is not None:
        raise NotImplementedError("axis argument is not supported in the current `np.size`.")
    x = asarray(x)
    if x.shape.is_fully_defined():
        return np.prod(x.shape.as_list(), dtype=int)
    return raw_ops.Size(x, out_type=np.int64)


def isscalar(num: Any) -> bool:
    """Whether `num` has no axes."""
    if isinstance(num, list | tuple):
        return False
    if isinstance(num, Tensor | np.ndarray):
        return num.ndim == 0
    return bool(np.isscalar(num))
