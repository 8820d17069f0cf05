"""Which inputs of a loop are columns: each iteration has a row of its own there, and sees no other.

Rows behind the last one change nothing then. It is proved from the graphs of the loop alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.graph.control.counting import Counters
from runnel.graph.control.invariants import Body, reshaped
from runnel.graph.run.program import Node, Program

_ROWS_READ = {"GatherV2": 1, "TensorListGetItem": 1}  # the place of the index
_ROWS_WRITTEN = {"TensorScatterAdd": 1, "TensorListSetItem": 1}


class Columns:
    """What a loop does with its inputs."""

    def __init__(self, test: Program, step: Program) -> None:
        size = len(step.inputs)
        self.varying = [i for i in range(size) if step.outputs[i] != step.inputs[i]]
        self._step, self._test = step, test
        self._makers = {slot: node for node in step.nodes for slot in node.outs}
        self._readers: dict[int, list[Node]] = defaultdict(list)
        for node in step.nodes:
            for slot in dict.fromkeys(node.ins):
                self._readers[slot].append(node)
        counters = Counters(step, test, self.varying, [None] * size, None)
        self.down = counters.down
        self.up = [place for place, by in counters.steps.items() if by == 1]
        self._items = Body(step).items_read()
        self._counts = {step.inputs[place]: place for place in self._counting}
        self.shapes: dict[int, int] = {}  # which further outputs are the shape of which column
        tested = {slot for node in test.nodes for slot in node.ins}
        self.found: dict[int, set[int]] = {}  # columns, with the slots of indices of their rows
        for place, slot in enumerate(step.inputs):
            indices: set[int] = set()
            if test.inputs[place] not in tested and self._by_rows(slot, place, indices) and indices:
                self.found[place] = indices

    @property
    def _counting(self) -> list[int]:
        return self.up if self.down is None else [*self.up, self.down]

    def counter(self, index: int) -> int | None:
        """The place of the counter that is, or numbers, an index."""
        if index in self._items:
            index = self._items[index][1]
        return self._counts.get(index)

    def numbers(self, index: int) -> int | None:
        """The place of the list from which an index is taken."""
        return self._items[index][0] if index in self._items else None

    def _by_rows(self, slot: int, place: int, indices: set[int]) -> bool:
        """Whether a value is read by rows alone, and written so before it becomes that of the next
        iteration.
        """
        outputs = [i for i, s in enumerate(self._step.outputs) if s == slot]
        if any(i != place for i in outputs):
            return False
        return all(self._has_rows(node, slot, place, indices) for node in self._readers[slot])

    def _has_rows(self, node: Node, slot: int, place: int, indices: set[int]) -> bool:
        name = node.op.name
        if node.op.traits.reads == "shape":
            return self._is_shape_kept(node, place)
        if name not in _ROWS_READ and name not in _ROWS_WRITTEN:
            return False
        if node.ins.count(slot) != 1 or node.ins[0] != slot or not self._is_first_axis(node):
            return False
        index = reshaped(node.ins[1], self._makers)
        if self.counter(index) is None:
            return False
        indices.add(index)
        return name in _ROWS_READ or self._by_rows(node.outs[0], place, indices)

    def _is_first_axis(self, node: Node) -> bool:
        if node.op.name != "GatherV2":
            return True
        axis = self._step.constants.get(node.ins[2])
        return axis is not None and int(axis) == 0 and not node.attrs.get("batch_dims", 0)

    def _is_shape_kept(self, node: Node, place: int) -> bool:
        """Whether the shape of a column is only kept for the gradient, or read without its rows."""
        if len(node.outs) != 1 or node.ins[0] != self._step.inputs[place]:
            return False
        (shape,) = node.outs
        places = [i for i, slot in enumerate(self._step.outputs) if slot == shape]
        if any(i < len(self._step.inputs) for i in places):
            return False
        self.shapes.update((i - len(self._step.inputs), place) for i in places)
        return all(map(self._skips_first, self._readers[shape]))

    def _skips_first(self, node: Node) -> bool:
        """Whether a node takes all of a vector but its first element."""
        attrs, constants = node.attrs, self._step.constants
        if node.op.name != "StridedSlice" or attrs["begin_mask"] or attrs["shrink_axis_mask"]:
            return False
        if attrs["ellipsis_mask"] or attrs["new_axis_mask"] or node.ins[1] == node.ins[0]:
            return False
        begin, strides = constants.get(node.ins[1]), constants.get(node.ins[3])
        if begin is None or strides is None:
            return False
        return bool(begin.tolist() == [1] and strides.tolist() == [1])

    def known_before(self) -> dict[int, bool]:
        """The inputs whose values must be known to compile the loop; whether their first element
        does not matter.
        """
        pending = [node.ins[place] for node in self._step.nodes for place in node.static]
        places = {slot: place for place, slot in enumerate(self._step.inputs)}
        seen: set[int] = set()
        found: dict[int, bool] = {}
        while pending:
            slot = pending.pop()
            node = self._makers.get(slot)
            if slot in seen or (node is not None and node.op.traits.reads is not None):
                continue
            seen.add(slot)
            if slot in places:
                found[places[slot]] = False
            elif slot in self._items:
                readers = self._readers[slot]
                skipped = slot not in self._step.outputs and all(map(self._skips_first, readers))
                place = self._items[slot][0]
                found[place] = found.get(place, True) and skipped
            elif node is not None:
                pending += node.ins
        return found


def highest_rows(columns: Columns, values: Sequence[Any], limit: int) -> dict[int, int] | None:
    """The last row that is used of each column, if that is known."""
    last = {}
    for place, indices in columns.found.items():
        found = [_highest(columns, index, values, limit) for index in indices]
        known = [row for row in found if row is not None]
        if len(known) < len(found):
            return None
        last[place] = max(known)
    return last


def _highest(columns: Columns, index: int, values: Sequence[Any], limit: int) -> int | None:
    counter = columns.counter(index)
    start = int(values[counter])  # type: ignore[index]
    if counter == columns.down:
        highest = start
    elif start == 0:
        highest = limit - 1
    else:
        return None
    numbers = columns.numbers(index)
    if numbers is None or is_count(values[numbers], highest + 1):
        return highest
    return None


def is_count(value: Any, rows: int) -> bool:
    """Whether a list begins with the numbers from 0 on."""
    held = getattr(value, "held", None)
    if not isinstance(held, np.ndarray) or held.ndim != 1 or held.dtype.kind != "i":
        return False
    return len(held) >= rows and np.array_equal(held[:rows], np.arange(rows))
