"""Signals in overlapping frames: cutting them up and adding them together again."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.settings.arguments import check_room, integer
from runnel.core.tensor.static import constant_value
from runnel.core.values import dtypes
from runnel.core.values.dtypes import int32
from runnel.core.values.errors import bad_dtype, bad_value
from runnel.core.values.types import TensorLike
from runnel.ops.array.shaping import index_operand, index_tensor
from runnel.ops.shapes import shape_of


def number(op_name: str, name: str, value: TensorLike) -> Any:
    """A length as a Python number where it is known, else as a scalar tensor."""
    if isinstance(value, bool | str):
        raise TypeError(f"{op_name}: `{name}` must be an integer, got {value!r}.")
    if isinstance(value, float):
        raise bad_value(op_name, want="be an integer", **{name: value})
    tensor = index_tensor(value)
    if tensor.ndim not in (None, 0):
        raise ValueError(f"{op_name}: `{name}` must be a scalar, got shape {tensor.shape}.")
    if not tensor.dtype.is_integer:
        raise bad_dtype(op_name, want="be an integer", **{name: tensor})
    known = constant_value(tensor)
    return int(known) if known is not None else tensor


def check_steps(op_name: str, length: Any, step: Any) -> None:
    """That a length is not negative and a step is positive, where they are known."""
    if isinstance(length, int) and not 0 <= length < 1 << 31:
        raise bad_value(op_name, want="be in [0, 2**31)", frame_length=length)
    if isinstance(step, int) and not 0 < step < 1 << 31:
        raise bad_value(op_name, want="be in [1, 2**31)", frame_step=step)


def _dimension(x: Tensor, axis: Any) -> Any:
    known = x.ndim is not None and isinstance(axis, int)
    size = x.shape[axis] if known else None
    return size if size is not None else raw_ops.Shape(x)[axis]


def _at_least_zero(size: Any) -> Any:
    return max(0, size) if isinstance(size, int) else raw_ops.Maximum(size, np.int32(0))


def _ramp(size: Any) -> Any:
    if isinstance(size, int):
        return np.arange(size, dtype=np.int32)
    return raw_ops.Range(np.int32(0), size, np.int32(1))


@scoped("frame")
def frame(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """Frames of `frame_length` that begin every `frame_step` along `axis`, as a new axis.

    With `pad_end` the last frames reach beyond the signal and are filled with `pad_value`.

    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy()
    array([[1, 2, 3],
           [3, 4, 5]], dtype=int32)
    """
    signal = convert_to_tensor(signal)
    length = number("frame", "frame_length", frame_length)
    step = number("frame", "frame_step", frame_step)
    axis = _frame_axis(signal, axis)
    check_steps("frame", length, step)
    size = _dimension(signal, axis)
    count = -(-size // step) if pad_end else _at_least_zero(1 + (size - length) // step)
    if isinstance(count, int) and isinstance(length, int):
        check_room("frame", (count, length), 4)
    if pad_end:
        signal = padded(signal, axis, _at_least_zero(length + step * (count - 1) - size), pad_value)
    starts, inside = _ramp(count) * step, _ramp(length)
    if isinstance(starts, np.ndarray) and isinstance(inside, np.ndarray):
        places: Any = starts[:, None] + inside
    else:
        places = raw_ops.ExpandDims(starts, np.int32(1)) + inside
    if isinstance(axis, int) and axis:
        return raw_ops.GatherV2(signal, places, index_operand(axis), name=name)
    row = raw_ops.ExpandDims(signal, np.int32(0))  # so that the gradient is a tensor, not slices
    place = raw_ops.AddV2(axis, np.int32(1))
    return raw_ops.Squeeze(raw_ops.GatherV2(row, places, place), axis=[0], name=name)


def _frame_axis(signal: Tensor, axis: Any) -> Any:
    """The axis counted from the front: a number, or a tensor where the rank or it is not known."""
    if axis is None or isinstance(axis, list | tuple):
        raise ValueError(f"frame: `axis` must be an integer, got {axis!r}.")
    known = axis if not isinstance(axis, Tensor) else constant_value(axis)
    rank = signal.ndim
    if rank == 0:
        raise ValueError(f"frame: `signal` must have rank 1 at least, got shape {signal.shape}.")
    if known is None:
        return raw_ops.FloorMod(axis, raw_ops.Rank(signal))
    place = integer("frame", "axis", known)
    if rank is None:
        return place if place >= 0 else raw_ops.Rank(signal) + place
    if not -rank <= place < rank:
        raise IndexError(f"frame: `axis` must be in [{-rank}, {rank}), got {axis}.")
    return place % rank


def padded(x: Tensor, axis: Any, after: Any, value: TensorLike) -> Tensor:
    """`x` with `after` more elements of `value` at the end of an axis."""
    rank = x.ndim
    if rank is None or not isinstance(axis, int):
        places = raw_ops.Range(np.int32(0), raw_ops.Rank(x), np.int32(1))
        axis = raw_ops.FloorMod(axis, raw_ops.Rank(x))
        last = raw_ops.SelectV2(raw_ops.Equal(places, axis), after, np.int32(0))
        widths: Any = raw_ops.Pack([raw_ops.ZerosLike(last), last], axis=1)
    elif isinstance(after, int):
        rows = [[0, 0] for _ in range(rank)]
        rows[axis][1] = after
        widths = index_operand(rows)
    else:
        widths = [[0, after if i == axis % rank else 0] for i in range(rank)]
    filling = convert_to_tensor(value, dtype=x.dtype)
    if filling.ndim not in (0, None):
        raise ValueError(f"`pad_value` must be a scalar, got shape {filling.shape}.")
    return raw_ops.PadV2(x, widths, filling)


@scoped("overlap_and_add")
def overlap_and_add(signal: TensorLike, frame_step: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the frames in the last axis, each `frame_step` after the one before.

    >>> tf.signal.overlap_and_add([[1, 1, 1], [2, 2, 2]], 2).numpy()
    array([1, 1, 3, 2, 2], dtype=int32)
    """
    signal = convert_to_tensor(signal)
    step = convert_to_tensor(frame_step, dtype_hint=int32)
    if signal.ndim is not None and signal.ndim < 2:
        raise ValueError(f"overlap_and_add: `signal` must have rank 2, got shape {signal.shape}.")
    if not step.dtype.is_integer:
        raise ValueError(
            f"overlap_and_add: `frame_step` must be an integer, got {step.dtype.name}."
        )
    if signal.dtype in (dtypes.string, dtypes.bool):
        raise bad_dtype("overlap_and_add", want="hold numbers", signal=signal)
    known = number("overlap_and_add", "frame_step", step)
    check_steps("overlap_and_add", None, known)
    if signal.ndim is not None:
        return _overlapped(signal, known)
    shape = raw_ops.Shape(signal)
    flat = raw_ops.Reshape(signal, _join(np.array([-1], np.int32), [shape[-2], shape[-1]]))
    sums = _overlapped(flat, known)
    return raw_ops.Reshape(sums, _join(shape[:-2], [raw_ops.Shape(sums)[-1]]))


def _overlapped(signal: Tensor, step: Any) -> Tensor:
    """Each frame in pieces of `step`: the pieces with the same number from its start, in a row.

    Rows that begin one place later than the one above are what a table gives when it is read with
    one column less than it was written with.
    """
    count, length = _dimension(signal, -2), _dimension(signal, -1)
    pieces = -(-length // step)
    batch = shape_of(signal)[:-2]
    rank = len(signal.shape)
    filled = padded(signal, rank - 1, pieces * step - length, 0)
    table = raw_ops.Reshape(filled, _join(batch, [count, pieces, step]))
    order = [*range(rank - 2), rank - 1, rank - 2, rank]
    table = raw_ops.Transpose(table, np.array(order, np.int32))
    table = padded(table, rank - 1, pieces, 0)
    rows = raw_ops.Reshape(table, _join(batch, [pieces * (count + pieces), step]))
    columns = count + pieces - 1
    skewed = rows[..., : pieces * columns, :]
    skewed = raw_ops.Reshape(skewed, _join(batch, [pieces, columns, step]))
    total = raw_ops.Sum(skewed, np.array([-3], np.int32))
    flat = raw_ops.Reshape(total, _join(batch, [columns * step]))
    return flat[..., : (count - 1) * step + length]


def _join(batch: Any, tail: list[Any]) -> Any:
    if isinstance(batch, np.ndarray) and all(isinstance(n, int) for n in tail):
        return np.concatenate([batch, np.array(tail, np.int32)])
    return raw_ops.ConcatV2([batch, convert_to_tensor(tail, dtype=int32)], np.int32(0))
