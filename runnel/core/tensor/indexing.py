"""`x[...]`: slices as the op StridedSlice; integer arrays and masks as gathers.

Indices that are arrays go beyond TensorFlow and follow NumPy.
"""

from __future__ import annotations

import functools
import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import scope_of_ops
from runnel.core.tensor import operators
from runnel.core.values import dtypes
from runnel.core.values.dimension import Dimension
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TypeSpec
from runnel.core.values.types import TensorLike

if TYPE_CHECKING:
    from runnel.core.tensor.tensor import Tensor


def getitem(x: Any, spec: Any) -> Any:
    """`x[spec]` for a tensor or variable."""
    if type(spec) is not tuple and _is_scalar_mask(spec):
        raise ValueError(f"A mask cannot be scalar, got {spec!r}.")
    key = _plain_key(spec if type(spec) is tuple else (spec,)) if state.graph is None else None
    if key is not None:
        inputs, masks = _plain_slice(key)
        return raw_ops.StridedSlice.apply((x, *inputs), masks)
    items = list(spec) if isinstance(spec, tuple) or _has_slices(spec) else [spec]
    if any(_is_array(item) for item in items):
        return _getitem_arrays(x, items)
    if any(_is_symbolic(item) for item in items) and x.ndim is not None:
        return _getitem_symbolic(x, items)
    return _strided_slice(raw_ops.StridedSlice, (x,), items)


def _has_slices(spec: Any) -> bool:
    """Whether a list is not one of indices, but stands for the tuple of its items."""
    return isinstance(spec, list) and any(isinstance(s, slice) or s is Ellipsis for s in spec)


def _is_scalar_mask(spec: Any) -> bool:
    if _is_tensor(spec):
        return spec._dtype is dtypes.bool and spec.ndim == 0
    return isinstance(spec, bool)


def _plain_key(items: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """An index of known numbers alone, with a hash; None where it holds anything else."""
    key: list[Any] = []
    for item in items:
        if type(item) is slice:
            start, stop, step = item.start, item.stop, item.step
            if not (type(start) in _PLAIN and type(stop) in _PLAIN and type(step) in _PLAIN):
                start, stop, step = map(_plain_number, (start, stop, step))
                if _OTHER in (start, stop, step):
                    return None
            key.append((start, stop, step))
        elif type(item) in _PLAIN or item is Ellipsis:
            key.append(item)
        else:
            number = _plain_number(item)
            if number is _OTHER:
                return None
            key.append(number)
    return tuple(key)


_OTHER = "other"
_PLAIN = frozenset({int, type(None)})
_SCALARS = frozenset({dtypes.int16, dtypes.int32, dtypes.int64})  # what TensorFlow takes as well


def _plain_number(item: Any) -> Any:
    """A Python number or an eager scalar as a number; None as it is."""
    if type(item) is int or item is None:
        return item
    value = getattr(item, "_value", None)
    if value is not None and item._dtype in _SCALARS and value.shape == ():
        return int(value)
    return _OTHER


@functools.lru_cache(maxsize=1024)
def _plain_slice(key: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, int]]:
    """Inputs and attributes of StridedSlice; kept, since programs use the same few indices."""
    spec = SliceSpec([slice(*item) if type(item) is tuple else item for item in key])
    return tuple(operators.convert_to_tensor(part) for part in spec.tensors()), spec.masks


class NotAnIndex(TypeError, IndexError):
    """TypeError as in TensorFlow, IndexError as in NumPy and in TensorFlow when it behaves so."""


def _is_array(item: Any) -> bool:
    """Whether an index is an array: of integers, or a mask."""
    if isinstance(item, list | tuple | np.ndarray):
        try:
            return np.ndim(item) > 0
        except ValueError:
            raise NotAnIndex(f"A list that is an index has no regular shape: {item!r}.") from None
    return _is_tensor(item) and item.ndim != 0 and not _may_be_scalar(item)


def _may_be_scalar(item: Any) -> bool:
    """Whether an index is an integer of unknown rank: TensorFlow takes scalars alone."""
    return item.ndim is None and not hasattr(item, "_value") and item._dtype.is_integer


def _is_number(item: Any) -> bool:
    """Whether an index is an integer or an array of them: beside arrays NumPy treats both alike."""
    return _is_array(item) or isinstance(item, numbers.Integral | np.ndarray | operators.Operators)


def _is_symbolic(item: Any) -> bool:
    """Whether an index is a scalar that is known only when its graph runs."""
    return (
        _is_tensor(item)
        and not hasattr(item, "_value")
        and (item.ndim == 0 or _may_be_scalar(item))
    )


def _getitem_symbolic(x: Any, items: list[Any]) -> Any:
    """Symbolic scalars as gathers, whose result has a known shape, which a slice would not."""
    for item in items:
        if _is_symbolic(item):
            _check_index(item)
    basic, scalars, axes = _separate(x, items, _is_symbolic)
    if any(item is not Ellipsis and item != slice(None) for item in basic):
        x = _strided_slice(raw_ops.StridedSlice, (x,), basic)
    for axis, index in sorted(zip(axes, scalars, strict=True), key=lambda pair: -pair[0]):
        if index.ndim is None:
            index = raw_ops.Reshape(index, np.zeros(0, np.int32))
        size = raw_ops.Cast(_size(x, axis), DstT=index._dtype)
        place = raw_ops.SelectV2(raw_ops.Less(index, 0), raw_ops.AddV2(index, size), index)
        x = raw_ops.GatherV2(x, place, np.int32(axis))
    return x


def _size(x: Any, axis: int) -> Any:
    dims = x.shape._dims
    if dims is not None and dims[axis] is not None:
        return np.int32(dims[axis])
    return _strided_slice(raw_ops.StridedSlice, (raw_ops.Shape(x),), [axis])


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


class SliceSpec:
    """The arguments that StridedSlice and its relatives take for a list of index items."""

    def __init__(self, items: list[Any]) -> None:
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[Any] = []
        self.masks = dict.fromkeys(_MASKS, 0)
        for item in items:
            self._add(item)

    def _add(self, item: Any) -> None:
        bit = 1 << len(self.begin)
        begin, end, stride = 0, 0, 1
        if item is Ellipsis:
            self.masks["ellipsis_mask"] |= bit
        elif item is None:
            self.masks["new_axis_mask"] |= bit
        elif isinstance(item, slice):
            begin, end, stride = self._slice(item, bit)
        else:
            begin, end = self._scalar(item, bit)
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)

    def _slice(self, item: slice, bit: int) -> tuple[Any, Any, Any]:
        for part in (item.start, item.stop, item.step):
            if part is not None:
                _check_index(part)
        if item.start is None:
            self.masks["begin_mask"] |= bit
        if item.stop is None:
            self.masks["end_mask"] |= bit
        start = 0 if item.start is None else item.start
        stop = 0 if item.stop is None else item.stop
        return start, stop, 1 if item.step is None else item.step

    def _scalar(self, item: Any, bit: int) -> tuple[Any, Any]:
        _check_index(item)
        self.masks["shrink_axis_mask"] |= bit
        if isinstance(item, numbers.Integral):
            return int(item), int(item) + 1
        return item, item + 1

    def tensors(self) -> tuple[TensorLike, TensorLike, TensorLike]:
        """Begin, end and strides, all int32, or all int64 where an index is."""
        return _index_tensors(self.begin, self.end, self.strides)


def _index_tensors(*lists: list[Any]) -> tuple[TensorLike, ...]:
    parts = [part for items in lists for part in items if _is_tensor(part)]
    if not parts:
        largest = max([abs(int(i)) for items in lists for i in items], default=0)
        if largest >= 2**63:
            raise ValueError(f"An index must be an integer of 64 bits, got {largest}.")
        wide = largest >= 2**31
        return tuple(np.array(items, np.int64 if wide else np.int32) for items in lists)
    dtype = dtypes.int64 if any(p._dtype is dtypes.int64 for p in parts) else dtypes.int32
    return tuple(
        raw_ops.Pack([raw_ops.Cast(i, DstT=dtype) for i in items], axis=0)
        if items
        else np.zeros(0, dtype.np_dtype)
        for items in lists
    )


def _check_index(item: Any) -> None:
    if isinstance(item, numbers.Integral | Dimension):
        return
    if _is_tensor(item) and item._dtype in _SCALARS and item.ndim in (0, None):
        return
    if isinstance(item, np.ndarray) and item.ndim == 0 and dtypes.as_dtype(item.dtype) in _SCALARS:
        return
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`), integer arrays and "
        f"boolean masks are valid indices, got {item!r}."
    )


def _strided_slice(
    op: Any, before: tuple[Any, ...], items: list[Any], after: tuple[Any, ...] = ()
) -> Any:
    spec = SliceSpec(items)
    with scope_of_ops(op.default_name) as scope:
        bounds = [
            part
            if _is_tensor(part) or state.graph is None
            else operators.convert_to_tensor(part, name=title)
            for part, title in zip(spec.tensors(), ("stack", "stack_1", "stack_2"), strict=True)
        ]
        return op(*before, *bounds, *after, **spec.masks, name=scope)


def strided_slice_assign(handle: Any, spec: Any, value: TensorLike) -> None:
    """Assign `value` to the part of a variable that a basic index names."""
    items = list(spec) if isinstance(spec, tuple) else [spec]
    _strided_slice(raw_ops.ResourceStridedSliceAssign, (handle,), items, (value,))


def parts_where(x: Any, mask: Any, rank: int) -> Any:
    """The parts of `x` at which a mask of its first `rank` axes is true. They may be empty, as
    GatherNd's must not be.
    """
    if x.shape.rank is not None and x.shape[rank:].num_elements():
        return raw_ops.GatherNd(x, raw_ops.Where(mask))
    shape = raw_ops.Shape(x)
    count = raw_ops.Prod(shape[:rank], np.int32(0), keep_dims=True)
    flat = raw_ops.Reshape(x, raw_ops.ConcatV2([count, shape[rank:]], np.int32(0)))
    rows = raw_ops.Where(raw_ops.Reshape(mask, np.array([-1], np.int32)))
    return raw_ops.GatherV2(flat, raw_ops.Squeeze(rows, axis=[1]), np.int32(0))


def _getitem_arrays(x: Any, items: list[Any]) -> Any:
    """NumPy's rules: slices first, then all arrays at once, broadcast against each other."""
    if len(items) == 1 and _mask_rank(items[0]):
        _check_mask(x, 0, items[0])
        return parts_where(x, items[0], _mask_rank(items[0]))
    items = _expand_masks(x, items)
    basic, arrays, axes = _separate(x, items, _is_number)
    sliced = _strided_slice(raw_ops.StridedSlice, (x,), basic)
    rank = sliced.ndim
    contiguous = axes == list(range(axes[0], axes[0] + len(axes)))
    rest = [axis for axis in range(rank) if axis not in axes]
    front = raw_ops.Transpose(sliced, np.array(axes + rest, np.int32))
    gathered = raw_ops.GatherNd(front, _stack_indices(front, arrays))
    if not contiguous or axes[0] == 0:
        return gathered
    joint = gathered.ndim - len(rest)
    order = [*range(joint, joint + axes[0]), *range(joint), *range(joint + axes[0], gathered.ndim)]
    return raw_ops.Transpose(gathered, np.array(order, np.int32))


def _mask_rank(item: Any) -> int:
    """The rank of a boolean mask; 0 for anything else."""
    if _is_tensor(item):
        return item.ndim if item._dtype is dtypes.bool else 0
    array = np.asarray(item)
    return array.ndim if array.dtype == np.bool_ else 0


def _check_mask(x: Any, axis: int, mask: Any) -> None:
    """ValueError for a mask whose known sizes are not those of the dimensions it stands for.

    A plain list or tuple is not looked at: its true elements only have to be there.
    """
    if isinstance(mask, list | tuple):
        return
    sizes = TensorShape(mask.shape if _is_tensor(mask) else np.shape(mask))
    if x.shape.rank is not None and sizes.rank is not None:
        covered = x.shape[axis : axis + sizes.rank]
        if not covered.is_compatible_with(sizes):
            raise ValueError(
                f"A mask must have the shape of the dimensions it stands for, {covered}, "
                f"got shape {sizes}."
            )


def _expand_masks(x: Any, items: list[Any]) -> list[Any]:
    """Each mask as the integer arrays of its true positions, one per dimension."""
    ranks = [_mask_rank(item) if _is_array(item) else 0 for item in items]
    widths = [max(rank, item is not None) for item, rank in zip(items, ranks, strict=True)]
    given = sum(w for item, w in zip(items, widths, strict=True) if item is not Ellipsis)
    expanded: list[Any] = []
    axis = 0
    for item, rank, width in zip(items, ranks, widths, strict=True):
        if rank:
            _check_mask(x, axis, item)
            expanded.extend(raw_ops.Unpack(raw_ops.Where(item), num=rank, axis=1))
        else:
            expanded.append(item)
        axis += x.ndim - given if item is Ellipsis else width
    return expanded


def _separate(
    x: Any, items: list[Any], chosen: Callable[[Any], bool]
) -> tuple[list[Any], list[Any], list[int]]:
    """The items with the chosen replaced by `:`; the chosen; the axes of the slice they index."""
    used = sum(item is not None and item is not Ellipsis for item in items)
    if Ellipsis not in [item for item in items if item is Ellipsis]:
        items = [*items, Ellipsis]
    basic: list[Any] = []
    arrays: list[Any] = []
    axes: list[int] = []
    axis = 0
    for item in items:
        if item is Ellipsis:
            axis += x.ndim - used
            basic.append(item)
        elif chosen(item):
            arrays.append(item)
            axes.append(axis)
            basic.append(slice(None))
            axis += 1
        else:
            basic.append(item)
            axis += not isinstance(item, numbers.Integral) and not _is_tensor(item)
    return basic, arrays, axes


def _stack_indices(x: Tensor, arrays: list[Any]) -> Any:
    """The index arrays as one along a new last axis, negative ones counted from the end."""
    shape = raw_ops.Shape(x, out_type=dtypes.int64)
    parts = []
    for axis, item in enumerate(arrays):
        index = raw_ops.Cast(_whole(item), DstT=dtypes.int64)
        size = _strided_slice(raw_ops.StridedSlice, (shape,), [axis])
        zero = np.int64(0)
        parts.append(raw_ops.SelectV2(raw_ops.Less(index, zero), raw_ops.AddV2(index, size), index))
    total = parts[0]
    for part in parts[1:]:
        total = raw_ops.AddV2(total, part)
    return raw_ops.Pack([raw_ops.BroadcastTo(p, raw_ops.Shape(total)) for p in parts], axis=-1)


def _whole(item: Any) -> Any:
    """An index of numbers as a tensor; an empty list counts as one of integers."""
    if _is_tensor(item):
        if item._dtype.is_integer:
            return item
    else:
        array = np.asarray(item)
        if array.dtype.kind in "iu" or not array.size:
            return raw_ops.Identity(array)
    raise NotAnIndex(f"Arrays that are indices must be of integers or bools, got {item!r}.")


class At:
    """See `Tensor.at`."""

    def __init__(self, x: Any) -> None:
        self._x = x

    def __getitem__(self, spec: Any) -> Updates:
        return Updates(self._x, spec)


class Updates:
    """The ways to update the elements that an index names; each gives a new tensor.

    >>> x = tf.constant([1, 2, 3, 4])
    >>> x.at[1:3].multiply(10).numpy()
    array([ 1, 20, 30,  4], dtype=int32)
    """

    def __init__(self, x: Any, spec: Any) -> None:
        self._x = x
        self._spec = spec

    def _places(self, x: Any, value: TensorLike) -> tuple[Any, Any]:
        """The positions of the elements in the flat tensor, and the value for each."""
        every = raw_ops.Range(np.int64(0), raw_ops.Size(x, out_type=dtypes.int64), np.int64(1))
        positions = getitem(raw_ops.Reshape(every, raw_ops.Shape(x)), self._spec)
        values = operators.convert_to_tensor(value, None if _is_tensor(value) else x._dtype)
        values = raw_ops.BroadcastTo(values, raw_ops.Shape(positions))
        flat = np.array([-1], np.int32)
        return raw_ops.Reshape(positions, flat), raw_ops.Reshape(values, flat)

    def _scatter(self, op: Any, value: TensorLike) -> Any:
        x = raw_ops.Identity(self._x)
        positions, values = self._places(x, value)
        indices = raw_ops.Reshape(positions, np.array([-1, 1], np.int32))
        updated = op(raw_ops.Reshape(x, np.array([-1], np.int32)), indices, values)
        return raw_ops.Reshape(updated, raw_ops.Shape(x))

    def get(self) -> Any:
        return getitem(self._x, self._spec)

    def set(self, values: TensorLike) -> Any:
        return self._scatter(raw_ops.TensorScatterUpdate, values)

    def add(self, values: TensorLike) -> Any:
        return self._scatter(raw_ops.TensorScatterAdd, values)

    def min(self, values: TensorLike) -> Any:
        return self._scatter(raw_ops.TensorScatterMin, values)

    def max(self, values: TensorLike) -> Any:
        return self._scatter(raw_ops.TensorScatterMax, values)

    def multiply(self, values: TensorLike) -> Any:
        x = raw_ops.Identity(self._x)
        positions, factors = self._places(x, values)
        factor = raw_ops.UnsortedSegmentProd(factors, positions, raw_ops.Size(x))
        return raw_ops.Mul(x, raw_ops.Reshape(factor, raw_ops.Shape(x)))


def _is_tensor(value: Any) -> bool:
    """Whether it is a tensor, a variable or a weak tensor."""
    return hasattr(value, "_dtype") and not isinstance(value, TypeSpec)
