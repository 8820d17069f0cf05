"""Loops whose number of iterations nobody knows beforehand, when their gradient is wanted.

XLA wants to know how much memory the values take that the gradient needs. So such a loop is run as
many loops of at most `MOST` iterations, one after another, each of them one compiled program.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.tensor.tensor import Tensor
from runnel.core.tensor.tensor_list import Copies, Nested, Stacked, TensorList
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.control.loops import MOST, some_iterations, varying_places
from runnel.graph.control.subgraphs import plan_of, trace
from runnel.graph.run.program import on_host

if TYPE_CHECKING:
    from runnel.graph.run.plan import Plan


class Chunks:
    """Runs a loop that stacks values, a chunk of iterations at a time."""

    def __init__(self, operation: Operation) -> None:
        self._cond: FuncGraph = operation.attrs["cond"]
        self._body: FuncGraph = operation.attrs["body"]
        self._stacks: tuple[SymbolicTensor, ...] = operation.attrs["stacks"]

    def run(self, values: Sequence[Any]) -> list[Any]:
        """The values after the last iteration, the stacks, and the number of iterations."""
        size, values = len(values), list(values)
        varying = varying_places(self._body)
        parts: list[list[Any]] = [[] for _ in self._stacks]
        counts: list[int] = []
        while not counts or counts[-1] == MOST:
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
        return plan_of(trace(self._part, f"{self._body.name}_part", self._body.inputs))

    def _part(self, *values: Tensor) -> list[Tensor]:
        return some_iterations(self._cond, self._body, self._stacks, values)


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
    return MOST << (chunks - 1).bit_length()
