"""The gradients of tensors that were broadcast together, in a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.op.registry import wants_gradient
from runnel.core.tensor.tensor import Tensor
from runnel.core.tensor.vectors import shape_tensor, vector


def asked(op: Any) -> tuple[bool, bool]:
    """Which gradients of the two inputs are to be computed.

    In a graph both are where their shapes are known to be the same, as in TensorFlow.
    """
    if state.graph is not None and _same_shape(*op.inputs):
        return True, True
    return wants_gradient(op, 0), wants_gradient(op, 1)


def unbroadcast(entry: Any, found: Sequence[Any]) -> Sequence[Any]:
    """The gradients of an op's inputs, each summed to the shape of its input."""
    if len(found) == 2:
        return _of_two(entry, found)
    pairs = [(t, entry.outputs[0]) for t in entry.inputs]
    return [g if g is None else _sums(pair, (g, None))[0] for g, pair in zip(found, pairs)]


def _of_two(entry: Any, found: Sequence[Any]) -> Sequence[Any]:
    how = entry.op.traits.unbroadcast
    if how != "all" and state.live is not None:
        pairs = zip(found, entry.inputs, strict=True)
        found = [g if t._id in state.live else None for g, t in pairs]
        if found[1] is None and entry.inputs[1].shape._dims == ():
            return found
    if how == "unlike" and _same_shape(*entry.inputs):
        return found
    return _sums(entry.inputs, found)


def _same_shape(x: Any, y: Any) -> bool:
    dims = x.shape._dims
    return dims is not None and None not in dims and dims == y.shape._dims


def _sums(inputs: Sequence[Any], found: Sequence[Any]) -> Sequence[Any]:
    """The gradients of two tensors, summed along the axes that were broadcast."""
    if not any(isinstance(g, Tensor) for g in found):
        return found
    shapes = [shape_tensor(x) for x in inputs]
    ranks = [x.shape._dims for x in inputs]
    axes = _broadcast_axes(*ranks)
    if axes is None:
        spread = raw_ops.BroadcastGradientArgs(*shapes)
        return [_summed(*part) for part in zip(found, spread, shapes, strict=True)]
    return [
        _summed(g, vector(tuple(over)), shape) if over or len(have) < len(other) else g
        for g, over, shape, have, other in zip(found, axes, shapes, ranks, ranks[::-1], strict=True)
    ]


def _summed(gradient: Any, axes: Any, shape: Tensor) -> Any:
    if not isinstance(gradient, Tensor):
        return gradient
    return raw_ops.Reshape(raw_ops.Sum(gradient, axes, keep_dims=True), shape)


def _broadcast_axes(x: Any, y: Any) -> tuple[list[int], list[int]] | None:
    """The axes along which each of two shapes was repeated; None where only values can tell."""
    if x is None or y is None:
        return None
    rank = max(len(x), len(y))
    pairs = zip((1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y, strict=True)
    axes: tuple[list[int], list[int]] = ([], [])
    for axis, (a, b) in enumerate(pairs):
        if a == 1 and b != 1:
            axes[0].append(axis)
        elif b == 1 and a != 1:
            axes[1].append(axis)
        elif a is None or b is None:
            return None
    return axes
