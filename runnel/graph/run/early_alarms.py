"""Guards that are checked before a compiled program runs: those of indices that are its inputs.

A program that may sound an alarm has to be waited for. Where indices come in from outside, as those
of an embedding's rows mostly do, a look at the least and the largest of them is enough, and the
next step can be prepared while the program runs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.tensor.static import constant_value

if TYPE_CHECKING:
    from runnel.graph.run.program import Node

_INDICES_LOOKED_AT = 1 << 16  # indices; for more, the program looks itself
_LARGEST = 1 << 24  # whole numbers up to here are the same in every dtype of four bytes


class Foreseen:
    """What can be said of a segment's guards from its inputs alone."""

    def __init__(self, nodes: Sequence[Node], inputs: Collection[int]) -> None:
        self.nodes: set[Node] = set()
        self._sizes: dict[int, int] = {}  # by input: what its numbers must be below
        origins = {slot: slot for slot in inputs}
        for node in nodes:
            origin = origins.get(_indices(node))
            if origin is None:
                continue
            if _moves(node):
                origins[node.outs[0]] = origin
                continue
            size = _size(node)
            if size is not None and size <= _LARGEST:
                self.nodes.add(node)
                self._sizes[origin] = min(size, self._sizes.get(origin, size))

    def is_fine(self, env: Sequence[Any]) -> bool:
        """Whether the inputs in `env` are such that no guard of `nodes` would sound an alarm."""
        for slot, size in self._sizes.items():
            if env[slot].size > _INDICES_LOOKED_AT:
                return False
            values = np.asarray(env[slot])
            if values.size and not (values.min() >= 0 and values.max() < size):
                return False
        return bool(self._sizes)

    def is_expected(self, env: Sequence[Any]) -> bool:
        """The same where some inputs are not there yet; they are expected to be fine."""
        here = all(hasattr(env[slot], "__array__") for slot in self._sizes)
        return self.is_fine(env) if here else True


def _moves(node: Node) -> bool:
    """Whether the output has no numbers that the first input does not have."""
    if node.op.name == "Cast":
        return node.operation.outputs[0].dtype.size >= 4
    return node.op.moves and not node.op.has_lists


def _indices(node: Node) -> int:
    """The slot of a node's indices, or of what it moves; -1 if it has neither."""
    if _moves(node):
        return node.ins[0]
    if node.op.guard is None or node.op.guard.size is None:
        return -1
    names = [arg.name for arg in node.op.inputs]
    return node.ins[names.index("indices")]


def _size(node: Node) -> int | None:
    """What a node's indices must be below, as far as its graph knows the shapes."""
    assert node.op.guard is not None and node.op.guard.size is not None
    values = [_known(tensor) for tensor in node.operation.inputs]
    try:
        size = node.op.guard.size(*values, **node.attrs)
    except (TypeError, IndexError, AttributeError):  # a shape that is not known
        return None
    return size if isinstance(size, int) else None


def _known(tensor: Any) -> Any:
    """A tensor's value or, if the graph does not know it, something of the same shape."""
    value = constant_value(tensor)
    if value is not None:
        return value
    held = getattr(tensor, "_handle_data", None)
    shape = tensor.shape if held is None else held.static_shape
    return SimpleNamespace(shape=None if shape.rank is None else tuple(shape.as_list()))
