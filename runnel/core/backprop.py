"""The way back: from the records of a tape, or the operations of a graph, to gradients."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core import vjp
from runnel.core.dtypes import int32, resource
from runnel.core.indexed_slices import IndexedSlices
from runnel.core.raw import raw_ops
from runnel.core.registry import gradients
from runnel.core.tape import differentiable
from runnel.core.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    Gradient = Tensor | IndexedSlices

Table = dict[int, list[Any]]


def backprop(
    records: Sequence[Any],
    targets: Sequence[Tensor],
    sources: Sequence[Tensor],
    output_gradients: Sequence[Tensor | None],
) -> list[Gradient | None]:
    """The gradient of each source: the sum over all targets."""
    path = _path(records, sources)
    table: Table = {}
    for target, gradient in zip(targets, output_gradients, strict=True):
        _add(table, target._id, ones_like(target) if gradient is None else gradient)
    wanted = {source._id for source in sources}
    for entry in reversed(path):
        arriving = [_take(table, o._id, keep=o._id in wanted) for o in entry.outputs]
        if any(g is not None for g in arriving):
            _step_back(entry, arriving, table)
    return [_take(table, source._id, keep=True) for source in sources]


def _path(records: Sequence[Any], sources: Sequence[Tensor]) -> list[Any]:
    """The records that depend on a source, in order."""
    live = {source._id for source in sources}
    path = []
    for entry in records:
        for tensor in entry.inputs:
            if tensor._id in live:
                path.append(entry)
                live.update([o._id for o in entry.outputs])
                break
    return path


def _step_back(entry: Any, arriving: list[Any], table: Table) -> None:
    if entry.backward is not None:
        found = entry.backward(*arriving)
    else:
        found = _call_gradient(entry, arriving)
    if len(found) != len(entry.inputs):
        raise ValueError(
            f"The gradient function of {entry.type!r} must return {len(entry.inputs)} gradients, one per "
            f"input, got {len(found)}."
        )
    for tensor, gradient in zip(entry.inputs, found, strict=True):
        if gradient is not None and differentiable(tensor._dtype):
            _add(table, tensor._id, fit(gradient, tensor, entry))


def _call_gradient(entry: Any, arriving: list[Any]) -> Sequence[Any]:
    function = gradients.get(entry.type, vjp.gradient)
    if function is None:
        return [None] * len(entry.inputs)
    dense = [
        (zeros_like(o) if differentiable(o._dtype) else None) if g is None else g
        for o, g in zip(entry.outputs, arriving, strict=True)
    ]
    found = function(entry, *dense)
    return found if isinstance(found, list | tuple) else (found,)


def _add(table: Table, key: int, gradient: Gradient) -> None:
    table.setdefault(key, []).append(gradient)


def _take(table: Table, key: int, *, keep: bool) -> Gradient | None:
    parts = table.get(key) if keep else table.pop(key, None)
    if not parts:
        return None
    total = parts[0] if len(parts) == 1 else add_up(parts)
    if keep:
        table[key] = [total]
    return total  # type: ignore[no-any-return]


def add_up(parts: Sequence[Any]) -> Gradient:
    """The sum of gradients; of slices alone it is slices again."""
    if all(isinstance(p, IndexedSlices) for p in parts):
        return _join_slices(parts)
    dense = [raw_ops.Identity(p) if isinstance(p, IndexedSlices) else p for p in parts]
    if len(dense) == 2:
        return raw_ops.AddV2(dense[0], dense[1])  # type: ignore[no-any-return]
    return raw_ops.AddN(dense)  # type: ignore[no-any-return]


def _join_slices(parts: Sequence[IndexedSlices]) -> IndexedSlices:
    axis = np.int32(0)
    values = raw_ops.ConcatV2([p.values for p in parts], axis)
    same = all(p.indices.dtype is int32 for p in parts)
    indices = [p.indices if same else raw_ops.Cast(p.indices, DstT=np.int64) for p in parts]
    return IndexedSlices(values, raw_ops.ConcatV2(indices, axis), parts[0].dense_shape)


def fit(gradient: Gradient, tensor: Tensor, entry: Any) -> Gradient:
    """`gradient` summed over the dimensions along which `tensor` was broadcast."""
    if isinstance(gradient, IndexedSlices) or tensor._dtype is resource:
        return gradient
    if not isinstance(gradient, Tensor):
        gradient = raw_ops.Identity(gradient)
    have = gradient._value.shape if type(gradient) is EagerTensor else gradient.shape._dims
    want = tensor._value.shape if type(tensor) is EagerTensor else tensor.shape._dims
    if have == want and (want is None or None not in want):
        return gradient
    if have is not None and want is not None and None not in have and None not in want:
        return _sum_static(gradient, have, want)
    return _sum_dynamic(gradient, tensor) if _broadcasts(entry) else gradient


def _sum_static(gradient: Tensor, have: tuple[int, ...], want: tuple[int, ...]) -> Tensor:
    extra = len(have) - len(want)
    padded = (1,) * extra + want
    axes = [i for i, (h, w) in enumerate(zip(have, padded, strict=True)) if w == 1 and h != 1 or i < extra]
    total = raw_ops.Sum(gradient, np.array(axes, np.int32), keep_dims=True)
    return raw_ops.Reshape(total, np.array(want, np.int32))  # type: ignore[no-any-return]


def _sum_dynamic(gradient: Tensor, tensor: Tensor) -> Tensor:
    shape = raw_ops.Shape(tensor)
    axes, _ = raw_ops.BroadcastGradientArgs(shape, raw_ops.Shape(gradient))
    return raw_ops.Reshape(raw_ops.Sum(gradient, axes), shape)  # type: ignore[no-any-return]


def _broadcasts(entry: Any) -> bool:
    return entry.backward is None and getattr(entry.op_def.shape, "broadcasts", False)


def ones_like(tensor: Tensor) -> Tensor:
    if type(tensor) is EagerTensor:
        return EagerTensor(np.ones(tensor._value.shape, tensor._dtype.np_dtype), tensor._dtype)
    return raw_ops.OnesLike(tensor)  # type: ignore[no-any-return]


def zeros_like(tensor: Any) -> Tensor:
    """Zeros of the shape of a tensor, a variable's handle, or a tensor whose value was let go."""
    if tensor._dtype is resource:
        held = tensor._value
        return EagerTensor(np.zeros(np.shape(held.read()), held.dtype.np_dtype), held.dtype)
    if isinstance(getattr(tensor, "graph", None), object) and not hasattr(tensor, "_value") and hasattr(tensor, "op"):
        return raw_ops.ZerosLike(tensor)  # type: ignore[no-any-return]
    dims = tensor.shape._dims
    return EagerTensor(np.zeros(dims, tensor._dtype.np_dtype), tensor._dtype)


def flatten_ids(tensors: Iterable[Tensor]) -> set[int]:
    return {t._id for t in tensors}
