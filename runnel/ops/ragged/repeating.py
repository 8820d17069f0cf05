"""`tf.tile`, `tf.reverse` and `tf.split` of ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_conversion import positive_axis
from runnel.core.composite.ragged_indexing import gather_rows, slice_rows
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.row_partition import RowPartition, require
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.settings.arguments import whole
from runnel.core.tensor.static import constant_value
from runnel.core.values.types import TensorLike
from runnel.ops.array import repeating, splitting
from runnel.ops.ragged.shaping import with_rank
from runnel.ops.reduce import ordering


@scoped("RaggedTile")
def _tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    known = constant_value(multiples)
    if known is not None and known.dtype.kind not in "iu" and known.size:
        raise TypeError(f"tile: `multiples` must hold integers, got {multiples!r}.")
    if known is not None and known.ndim != 1:
        raise ValueError(f"tile: `multiples` must be a vector, got {multiples!r}.")
    times: Any = convert_to_tensor(multiples) if known is None else np.asarray(known).tolist()
    if input.shape.rank is None:
        input = with_rank(input, len(times))
    elif known is not None and np.shape(known) != (input.shape.rank,):
        raise IndexError(f"tile: `multiples` must have a number for each axis, got {known!r}.")
    for axis in range(input.shape.rank):
        input = _tiled(input, axis, times[axis])
    return input


def _tiled(value: Any, axis: int, times: Any) -> Any:
    if isinstance(times, int) and times == 1:
        return value
    if not isinstance(value, RaggedTensor):
        counts = [1] * (value.shape.rank or 0)
        counts[axis] = times
        parts = [convert_to_tensor(c, getattr(times, "dtype", None)) for c in counts]
        return repeating.tile(value, raw_ops.Pack(parts, axis=0))
    if axis > 1:
        return value.with_values(_tiled(value.values, axis - 1, times))
    dtype = value.row_splits.dtype
    count = raw_ops.Cast(convert_to_tensor(times), DstT=dtype)
    numbers = raw_ops.Range(convert_to_tensor(0, dtype), value.nrows(), convert_to_tensor(1, dtype))
    if axis == 0:
        shape = raw_ops.ExpandDims(count, 0)
        return gather_rows(value, raw_ops.Tile(numbers, shape))
    one = convert_to_tensor(1, dtype)
    pairs = raw_ops.Tile(raw_ops.ExpandDims(numbers, 1), raw_ops.Pack([one, count], axis=0))
    copies = gather_rows(value, raw_ops.Reshape(pairs, [-1]))
    return RaggedTensor._from_row_partition(copies.values, _longer(value, count), validate=False)


def _longer(ragged: RaggedTensor, times: Tensor) -> RowPartition:
    """The partition whose rows are `times` as long."""
    uniform = ragged.uniform_row_length
    if uniform is not None:
        length = raw_ops.Mul(uniform, times)
        return RowPartition.from_uniform_row_length(length, nrows=ragged.nrows(), validate=False)
    return RowPartition.from_row_lengths(raw_ops.Mul(ragged.row_lengths(), times), validate=False)


@scoped("Reverse")
def _reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    if not isinstance(axis, list | tuple | np.ndarray | Tensor):
        raise TypeError(f"tf.reverse: `axis` must be a list of axes, got {axis!r}.")
    known = constant_value(axis)
    if known is None:
        raise ValueError("tf.reverse: `axis` must be known for a ragged tensor.")
    numbers = [whole("reverse", "axis", a) for a in np.asarray(known).ravel()]
    places = [positive_axis(number, tensor.shape.rank, "axis") for number in numbers]
    for place in places:
        tensor = _reversed(tensor, place)
    return tensor


def _reversed(value: Any, axis: int) -> Any:
    if not isinstance(value, RaggedTensor):
        return ordering.reverse(value, [axis])
    if axis > 1:
        return value.with_values(_reversed(value.values, axis - 1))
    return value[::-1] if axis == 0 else value[:, ::-1]


def _split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str = "split"
) -> list[Any]:
    place = positive_axis(whole("split", "axis", axis), value.shape.rank, "axis")
    sizes = constant_value(num_or_size_splits)
    if sizes is not None and np.ndim(sizes) == 0:
        return _even_parts(value, whole("split", "num_or_size_splits", sizes), place)
    if sizes is None and num is None:
        raise ValueError("tf.split: `num` must be given where `num_or_size_splits` is not known.")
    listed: TensorLike = num_or_size_splits if sizes is None else np.asarray(sizes)
    return _parts(value, listed, place, num)


def _even_parts(value: Any, count: int, axis: int) -> list[Any]:
    if not isinstance(value, RaggedTensor):
        return list(splitting.split(value, count, axis))
    if axis > 1:
        inner = _even_parts(value.values, count, axis - 1)
        return [value.with_values(part) for part in inner]
    if axis == 1 and value.uniform_row_length is None:
        raise ValueError("tf.split: a ragged dimension cannot be split.")
    total: Any = value.nrows() if axis == 0 else value.uniform_row_length
    if not 1 <= count < 2**31:
        raise ValueError(f"tf.split: cannot make {count} parts.")
    number = convert_to_tensor(count, total.dtype)
    each = raw_ops.FloorDiv(total, number)
    return _parts(value, raw_ops.Fill(np.array([count], np.int32), each), axis, count)


def _parts(value: Any, sizes: Any, axis: int, num: int | None) -> list[Any]:
    if not isinstance(value, RaggedTensor):
        return list(splitting.split(value, sizes, axis, num))
    if axis > 1:
        return [value.with_values(part) for part in _parts(value.values, sizes, axis - 1, num)]
    if axis == 1 and value.uniform_row_length is None:
        raise ValueError("tf.split: a ragged dimension cannot be split.")
    lengths = raw_ops.Cast(convert_to_tensor(sizes), DstT=value.row_splits.dtype)
    total = value.nrows() if axis == 0 else value.uniform_row_length
    message = "tf.split: `num_or_size_splits` must sum to the size of the dimension"
    require(raw_ops.Equal(raw_ops.Sum(lengths, 0), total), message, lengths)
    ends = raw_ops.Cumsum(lengths, 0)
    count = num if num is not None else int(lengths.shape[0] or 0)
    spans = [slice(ends[i] - lengths[i], ends[i]) for i in range(count)]
    if axis == 0:
        return [slice_rows(value, span) for span in spans]
    return [value[:, span] for span in spans]


_RAGGED = [{0: RaggedTensor}]
dispatch.add_target(repeating.tile, _tile, _RAGGED)
dispatch.add_target(ordering.reverse, _reverse, _RAGGED)
dispatch.add_target(splitting.split, _split, _RAGGED)
