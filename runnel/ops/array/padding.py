"""Tensors with a border: `tf.pad` in its three modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.op.context import state
from runnel.core.tensor.convert import unread
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import INDICES
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels import arrays
from runnel.ops.array.shaping import WIDE, index_operand
from runnel.ops.choices import MIRROR
from runnel.ops.shapes import shape_of


def _pairs(op_name: str, paddings: np.ndarray, rank: int) -> np.ndarray:
    """The paddings, after a check that there is a pair of sizes for each dimension."""
    if paddings.shape != (rank, 2):
        raise bad_shape(op_name, want=f"have shape ({rank}, 2)", paddings=paddings)
    if paddings.size and paddings.min() < 0:
        raise bad_value(op_name, want="hold no negative sizes", paddings=paddings)
    return paddings


def _padded(input: Spec, paddings: Spec, *others: Spec, op_name: str, mode: str = "") -> Dims:
    if input.dims is None:
        known = paddings.dims[0] if paddings.dims else None
        return None if known is None else (None,) * known
    if paddings.value is None:
        return (None,) * len(input.dims)
    pairs = _pairs(op_name, paddings.value, len(input.dims))
    return tuple(
        None if d is None else d + int(p.sum()) for d, p in zip(input.dims, pairs, strict=True)
    )


_PADDED = "input: T, paddings: Tpaddings[2] -> output: T"


@op("Pad", _PADDED, Tpaddings=WIDE, static=("paddings",), shape=_padded)
def _pad(xp: Namespace, input: Array, paddings: np.ndarray) -> Array:
    return arrays.pad(xp, input, _pairs("Pad", paddings, len(input.shape)))


@op(
    "PadV2",
    "input: T, paddings: Tpaddings[2], constant_values: T -> output: T",
    Tpaddings=WIDE,
    static=("paddings",),
    shape=_padded,
)
def _pad_v2(xp: Namespace, input: Array, paddings: np.ndarray, constant_values: Array) -> Array:
    if constant_values.shape != ():
        raise bad_shape("PadV2", want="be a scalar", constant_values=constant_values)
    return arrays.pad(xp, input, _pairs("PadV2", paddings, len(input.shape)), constant_values)


@RegisterGradient("Pad", needs="paddings")
@RegisterGradient("PadV2", needs="paddings")
def _pad_grad(op: Any, dy: Tensor) -> Gradients:
    x, paddings = op.inputs[:2]
    begin = raw_ops.Cast(raw_ops.Unpack(paddings, num=2, axis=1)[0], DstT=np.int32)
    return raw_ops.Slice(dy, begin, shape_of(x)), *([None] * (len(op.inputs) - 1))


def _mirror_indices(size: int, before: int, after: int, mode: str) -> np.ndarray:
    """Where each place of a mirrored dimension gets its element from."""
    offset = 0 if mode == "SYMMETRIC" else 1
    if max(before, after) > size - offset:
        want = f"be at most {size - offset} for a dimension of {size} in mode {mode}"
        raise bad_value("MirrorPad", want=want, paddings=[before, after])
    left = np.arange(before - 1 + offset, offset - 1, -1)
    right = np.arange(size - 1 - offset, size - 1 - offset - after, -1)
    return np.concatenate([left, np.arange(size), right]).astype(np.int64)


@op("MirrorPad", _PADDED, Tpaddings=WIDE, static=("paddings",), shape=_padded, mode=MIRROR)
def _mirror_pad(xp: Namespace, input: Array, paddings: np.ndarray, *, mode: str) -> Array:
    result = input
    for axis, (before, after) in enumerate(
        _pairs("MirrorPad", paddings, len(input.shape)).tolist()
    ):
        indices = _mirror_indices(input.shape[axis], before, after, mode)
        result = xp.take(result, indices, axis=axis) if before or after else result
    return result


@RegisterGradient("MirrorPad", needs="paddings")
def _mirror_pad_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.MirrorPadGrad(dy, op.inputs[1], mode=op.attrs["mode"]), None


def _unpadded(input: Spec, paddings: Spec, *, mode: str) -> Dims:
    if input.dims is None or paddings.value is None:
        return None if input.dims is None else (None,) * len(input.dims)
    pairs = _pairs("MirrorPadGrad", paddings.value, len(input.dims))
    return tuple(
        None if d is None else d - int(p.sum()) for d, p in zip(input.dims, pairs, strict=True)
    )


@op("MirrorPadGrad", _PADDED, Tpaddings=INDICES, static=("paddings",), shape=_unpadded, mode=MIRROR)
def _mirror_pad_back(xp: Namespace, input: Array, paddings: np.ndarray, *, mode: str) -> Array:
    """What was copied to the borders is added to the place it came from."""
    offset = 0 if mode == "SYMMETRIC" else 1
    result = input
    for axis, (before, after) in enumerate(paddings.tolist()):
        size = input.shape[axis] - before - after
        if not (before or after):
            continue
        left, inner, right = (
            xp.flip(part, axis) if i != 1 else part
            for i, part in enumerate(xp.split(result, [before, before + size], axis=axis))
        )
        result = inner + _place(xp, left, axis, offset, size)
        result = result + _place(xp, right, axis, size - offset - after, size)
    return result


def _place(xp: Namespace, part: Array, axis: int, start: int, size: int) -> Array:
    """`part` in a dimension of `size` zeros, from `start` on."""
    pairs = [(0, 0)] * len(part.shape)
    pairs[axis] = (start, size - start - part.shape[axis])
    return arrays.pad(xp, part, pairs)


@RegisterGradient("MirrorPadGrad", needs="paddings")
def _mirror_pad_back_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.MirrorPad(dy, op.inputs[1], mode=op.attrs["mode"]), None


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """`tensor` with a border: `paddings[i]` says how many to add before and after dimension `i`.

    `mode` is "CONSTANT", "REFLECT" (mirrored without the edge) or "SYMMETRIC" (with it).

    Args:
        tensor: a tensor, or what can become one.
        paddings: for each axis, how much in front and behind.
        mode: "CONSTANT", "REFLECT" or "SYMMETRIC".
        constant_values: what is put there, for "CONSTANT".

    >>> tf.pad([1, 2, 3], [[2, 1]], mode="REFLECT").numpy()
    array([3, 2, 1, 2, 3, 2], dtype=int32)
    """
    if not isinstance(mode, str):
        raise TypeError(f"tf.pad: `mode` must be a string, got {mode!r}.")
    x, pairs, kind = unread(tensor), index_operand(paddings), mode.upper()
    if kind in ("REFLECT", "SYMMETRIC"):
        result = raw_ops.MirrorPad(x, pairs, mode=kind, name=name)
    elif kind != "CONSTANT":
        raise ValueError(f"tf.pad: `mode` must be CONSTANT, REFLECT or SYMMETRIC, got {mode!r}.")
    elif _is_zero(constant_values):
        result = raw_ops.Pad(x, pairs, name=name)
    else:
        result = raw_ops.PadV2(x, pairs, constant_values, name=name)
    if state.graph is not None and isinstance(paddings, list | tuple) and x.shape.rank is not None:
        result.set_shape(_partly_known(x.shape, paddings))
    return result  # type: ignore[no-any-return]


def _is_zero(value: Any) -> bool:
    return not hasattr(value, "_dtype") and np.ndim(value) == 0 and value == 0


def _partly_known(shape: TensorShape, paddings: Sequence[Any]) -> list[int | None]:
    """The sizes after padding, where a dimension and its pair of paddings are known."""
    sums = [_known_sum(pair) for pair in paddings]
    return [
        None if size is None or more is None else size + more
        for size, more in zip(shape.as_list(), sums)
    ]


def _known_sum(pair: Any) -> int | None:
    parts = [pair] if isinstance(pair, Tensor) else pair
    known: list[Any] = [constant_value(n) if isinstance(n, Tensor) else n for n in parts]
    return None if any(n is None for n in known) else int(sum(np.sum(n) for n in known))
