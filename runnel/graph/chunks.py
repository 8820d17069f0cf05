"""Loops whose number of iterations nobody knows beforehand, when their gradient is wanted.

XLA wants to know how much memory the values take that the gradient needs. So such a loop is run as
many loops of at most `_SIZE` iterations, one after another, each of them one compiled program.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.convert import convert_to_tensor
from runnel.core.raw import raw_ops
from runnel.core.tensor import Tensor
from runnel.core.tensor_list import Copies, Nested, Stacked, TensorList
from runnel.graph.func_graph import FuncGraph
from runnel.graph.graph import get_default_graph
from runnel.graph.inlining import inline
from runnel.graph.loops import emit_loop, stack
from runnel.graph.operation import Operation
from runnel.graph.program import on_host
from runnel.graph.subgraphs import plan_of, trace
from runnel.graph.tensor import SymbolicTensor

if TYPE_CHECKING:
    from runnel.graph.plan import Plan

_SIZE = 64


class Chunks:
    """Runs a loop that stacks values, a chunk of iterations at a time."""

    def __init__(self, operation: Operation) -> None:
        self._cond: FuncGraph = operation.attrs["cond"]
        self._body: FuncGraph = operation.attrs["body"]
        self._stacks: tuple[SymbolicTensor, ...] = operation.attrs["stacks"]

    def run(self, values: Sequence[Any]) -> list[Any]:
        """The values after the last iteration, the stacks, and the number of iterations."""
        size, values = len(values), list(values)
        pairs = zip(self._body.inputs, self._body.outputs, strict=True)
        varying = [place for place, (before, after) in enumerate(pairs) if before is not after]
        parts: list[list[Any]] = [[] for _ in self._stacks]
        counts: list[int] = []
        while not counts or counts[-1] == _SIZE:
            found = self.plan.run(values)
            for place in varying:
                values[place] = found[place]
            counts.append(int(found[-1]))
            for part, list_ in zip(parts, found[size:-1], strict=True):
                part.append(on_host(list_))
        lists = [_joined(p, counts, t) for p, t in zip(parts, self._stacks, strict=True)]
        return [*values, *lists, np.int32(sum(counts))]

    @property
    def has_run(self) -> bool:
        return "plan" in vars(self)

    @functools.cached_property
    def plan(self) -> Plan:
        """One chunk."""
        return plan_of(trace(self._chunk, f"{self._body.name}_chunk", self._body.inputs))

    def _chunk(self, *values: Tensor) -> list[Tensor]:
        cond, body = self._cond, self._body
        wanted: list[SymbolicTensor] = []

        def go_on(count: Tensor, most: Tensor, *values: Tensor) -> Tensor:
            (answer,) = inline(cond, cond.inputs, cond.outputs, values, get_default_graph())
            one = raw_ops.Reshape(answer, np.zeros(0, np.int32))
            return raw_ops.LogicalAnd(count < most, one)  # type: ignore[no-any-return]

        def step(count: Tensor, most: Tensor, *values: Tensor) -> list[Tensor]:
            outputs = [*body.outputs, *self._stacks]
            found = inline(body, body.inputs, outputs, values, get_default_graph())
            wanted[:] = found[len(values) :]  # type: ignore[assignment]
            return [count + 1, most, *found[: len(values)]]

        first = [convert_to_tensor(np.int32(n)) for n in (0, _SIZE)]
        test = trace(go_on, f"{cond.name}_chunk", [*first, *values])
        again = trace(step, f"{body.name}_step", [*first, *values])
        outputs = emit_loop(test, again, [*first, *values], limit=1)
        lists, count = stack(outputs[0].op, wanted)  # type: ignore[attr-defined]
        return [*outputs[2:], *lists, count]


def _joined(parts: Sequence[Any], counts: Sequence[int], tensor: SymbolicTensor) -> Any:
    """The lists of all chunks as one, with room to spare: few lengths mean few compilations."""
    room = _room(len(counts))
    if all(isinstance(part, Copies) for part in parts):
        return Copies(parts[0].held, room)
    if all(isinstance(part, Stacked) and not isinstance(part, Nested) for part in parts):
        rows = [part.buffer[:count] for part, count in zip(parts, counts, strict=True) if count]
        shapes = {row.shape[1:] for row in rows}
        if len(shapes) == 1:
            rest = np.zeros((room - sum(counts), *shapes.pop()), rows[0].dtype)
            return Stacked(np.concatenate([*rows, rest]))
    items = [item for part, n in zip(parts, counts, strict=True) for item in part.items[:n]]
    return TensorList(tuple(items), tensor.dtype, tensor.shape._dims)


def _room(chunks: int) -> int:
    """How many iterations there is room for: the next power of two, in chunks."""
    return _SIZE << (chunks - 1).bit_length()
