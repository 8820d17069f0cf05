"""Simplifying an operation of a program by what its inputs are: constants, or certain others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from runnel.graph.run.passes import Walk
    from runnel.graph.run.program import Node

_FEW_ARRAYS = 8  # arrays of a stack, each of which may have operations of its own


def _neutral(walk: Walk, node: Node) -> int | None:
    """The other operand, where one of two is a constant that changes nothing."""
    for place, neutral in enumerate(node.op.traits.neutral):
        value = None if neutral is None else walk.constant(node.ins[place])
        if value is None or value.dtype.kind not in "iuf" or not value.size:
            continue
        other, output = node.operation.inputs[1 - place], node.operation.outputs[0]
        fits = value.ndim == 0 or (other.shape.is_fully_defined() and other.shape == output.shape)
        if fits and _is_all(value, neutral):
            return node.ins[1 - place]
    return None


def _is_all(value: Any, number: Any) -> bool:
    """Whether all elements are this number, with its sign if they are floats."""
    if value.dtype.kind == "f" and np.any(np.signbit(value) != np.signbit(number)):
        return False
    return bool(np.all(value == number))


def _twice(walk: Walk, node: Node) -> int | None:
    """The same self-inverse op two times over."""
    inner = walk.maker(node.ins[0], node.op.name) if node.op.traits.self_inverse else None
    return None if inner is None else inner.ins[0]


def _transposed_back(walk: Walk, node: Node) -> int | None:
    inner, order = walk.maker(node.ins[0], "Transpose"), walk.constant(node.ins[1])
    before = None if inner is None else walk.constant(inner.ins[1])
    if inner is None or order is None or before is None or order.shape != before.shape:
        return None
    rank = order.size
    both = (before % rank)[order % rank]
    return inner.ins[0] if np.array_equal(both, np.arange(rank)) else None


def _stack_of_transposed(walk: Walk, node: Node) -> int | None:
    """A transposed stack of a few arrays as the stack of transposed arrays.

    XLA copies the former element by element and asks of each which array it comes from: the
    gradients of queries, keys and values of [4,8,128,32] take 0.45 ms to be put side by side in
    memory so, and 0.1 ms the other way.
    """
    stack, order = walk.maker(node.ins[0], "Pack"), walk.constant(node.ins[1])
    if stack is None or order is None or not 1 < len(stack.ins) <= _FEW_ARRAYS:
        return None
    axes = [int(axis) % order.size for axis in order.ravel()]
    if not axes or sorted(axes) != list(range(len(axes))):
        return None  # no order: the run says so
    if not walk.is_read_once(stack.outs[0]):
        return None
    old = stack.attrs["axis"] % order.size
    inner = [axis - (axis > old) for axis in axes if axis != old]
    if inner == sorted(inner):
        return None  # the arrays stay as they are
    turned = walk.new_constant(np.array(inner, order.dtype))
    return walk.copy(
        stack, [walk.copy(node, [slot, turned]) for slot in stack.ins], axis=axes.index(old)
    )


def _reshaped(walk: Walk, node: Node) -> int | None:
    """Of two reshapes in a row, the second can do without the first."""
    inner = walk.maker(node.ins[0], "Reshape")
    if inner is not None:
        node.ins = [inner.ins[0], *node.ins[1:]]
    return None


def _before_relu(walk: Walk, node: Node) -> int | None:
    """The gradient of a pool of the largest after a Relu, from what the Relu got.

    The largest is where it was before, or the Relu lets no gradient through. So nobody but the pool
    reads the Relu's output, and the compiler need not store it.
    """
    pool = walk.maker(node.ins[0], "MaxPoolGrad")
    relu = None if pool is None else walk.maker(pool.ins[0], "Relu")
    if pool is not None and relu is not None and node.ins[1] == relu.outs[0]:
        node.ins = [walk.copy(pool, [relu.ins[0], *pool.ins[1:]]), relu.ins[0]]
    return None


_PATTERNS: dict[str, Sequence[Callable[[Walk, Node], int | None]]] = {
    "Transpose": (_transposed_back, _stack_of_transposed),
    "Reshape": (_reshaped,),
    "ReluGrad": (_before_relu,),
}


def simplified(walk: Walk, node: Node) -> int | None:
    """The slot that has the output of a pure node as well, if a rule finds one."""
    for rule in (_neutral, _twice, *_PATTERNS.get(node.op.name, ())):
        found = rule(walk, node)
        if found is not None:
            return found
    return None
