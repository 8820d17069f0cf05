"""Numbers that count the iterations of a loop, and what is known because of them.

Such a number follows from how many iterations there were: a compiled loop neither carries nor keeps
it, and an index that is made of it need not be checked. Recurrent layers and their gradients take
1.23 times as long without that ("counting" in `benchmarks/mechanisms.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.tensor.tensor_list import Stacked
from runnel.core.values.types import Array
from runnel.graph.run.program import Node, Program

Range = tuple[int, int]  # the least and the greatest value of a whole number


class Counters:
    """The inputs of a loop that each iteration changes by a fixed whole number."""

    def __init__(
        self,
        step: Program,
        test: Program,
        varying: Sequence[int],
        values: Sequence[Any],
        bound: int | None,
    ) -> None:
        makers = {slot: node for node in step.nodes for slot in node.outs}
        found = {i: _step(makers.get(step.outputs[i]), step.inputs[i], step) for i in varying}
        self.steps = {place: by for place, by in found.items() if by is not None}
        self.starts = {place: values[place] for place in self.steps}
        self.slots = {step.inputs[place]: place for place in self.steps}
        self._bound = bound
        down = [i for i, by in self.steps.items() if by == -1 and _ends_at_zero(test, i)]
        self.down = down[0] if down else None  # the one that numbers the iterations backwards

    def value(self, place: int, count: Any) -> Array:
        """What a counter is after `count` iterations."""
        start = self.starts[place]
        return start + np.asarray(self.steps[place], start.dtype) * count.astype(start.dtype)

    def stacked(self, place: int) -> Stacked:
        """What a counter is in all iterations."""
        known = isinstance(self.starts[place], np.ndarray | np.generic)
        numbers = np.arange(self._bound or 0, dtype=np.int64)
        return Stacked(self.value(place, numbers if known else xla.jnp.asarray(numbers)))

    def from_zero(self) -> list[int]:
        """The places of counters that are 0 in the first iteration, 1 in the second, and so on."""
        ones = [place for place, by in self.steps.items() if by == 1]
        known = [i for i in ones if isinstance(self.starts[i], np.ndarray | np.generic)]
        return [i for i in known if self.starts[i] == 0]

    def ranges(self) -> dict[int, Range]:
        """The ranges that the counters keep to, by their slots."""
        if not self._bound:
            return {}
        found = {slot: self._range(place, self._bound - 1) for slot, place in self.slots.items()}
        return {slot: known for slot, known in found.items() if known is not None}

    def _range(self, place: int, last: int) -> Range | None:
        if place == self.down:
            return 0, last
        start = self.starts[place]
        if not isinstance(start, np.ndarray | np.generic):
            return None
        ends = int(start), int(start) + self.steps[place] * last
        return min(ends), max(ends)


def _step(node: Node | None, before: int, program: Program) -> int | None:
    """By how much `node` changes a scalar `before`, if it does that and nothing else."""
    if node is None or node.op.name not in ("AddV2", "Sub") or before not in node.ins:
        return None
    if node.op.name == "Sub" and node.ins[0] != before:
        return None
    by = program.constants.get(node.ins[1] if node.ins[0] == before else node.ins[0])
    if by is None or by.ndim or by.dtype.kind != "i" or node.operation.outputs[0].shape.rank != 0:
        return None
    return -int(by) if node.op.name == "Sub" else int(by)


def _ends_at_zero(test: Program, place: int) -> bool:
    """Whether a loop goes on as long as the number at `place` is not negative, and no longer."""
    if len(test.nodes) != 1 or test.nodes[0].op.name != "GreaterEqual":
        return False
    least = test.constants.get(test.nodes[0].ins[1])
    return test.nodes[0].ins[0] == test.inputs[place] and least is not None and not np.any(least)
