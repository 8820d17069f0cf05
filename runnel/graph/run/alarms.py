"""Watching what operations compute: inputs they cannot take, and NaN or infinity in outputs.

Who looks at outputs is decided when an operation is made, by the thread that makes it, and holds
for every run of it, as in TensorFlow, whose graphs have operations that check. It runs
even if nobody reads its outputs.

The interpreter looks at values as they are made. A compiled program has no values while it is made;
it carries a number instead, `ALARM`, through its loops and branches: that of the first operation
that something is wrong with, and 0 as long as all is well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.op.observing import Watcher
from runnel.core.values.errors import InvalidArgumentError

if TYPE_CHECKING:
    from runnel.graph.build.operation import Operation
    from runnel.graph.run.program import Node

ALARM = "alarm"  # the key of the number among the states of a program


def mark(operation: Operation, watcher: Watcher) -> None:
    """Let a watcher see all that a new operation will compute, if that is of interest.

    The graphs that an operation holds have operations of their own.
    """
    places = range(len(operation.outputs))
    if operation.op.lower is None and any(watcher.watches(operation, i) for i in places):
        operation.watcher = watcher


def unmark(tensors: Sequence[Any]) -> None:
    """Let nobody look at these inputs of a graph."""
    for tensor in tensors:
        tensor.op.watcher = None


def look(watcher: Watcher, node: Node, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Let the watcher see what an operation has just computed."""
    for index, value in enumerate(outputs):
        if watcher.watches(node.operation, index) and not watcher.fine(np, value):
            raise watcher.error(node.operation, index, value, inputs)


class Alarm:
    """The numbers that a compiled program has for its operations.

    The guards of operations that are `seen_to` have been checked when it starts. It `watches` if
    somebody wants to see outputs.
    """

    def __init__(self, seen_to: Collection[Node] = (), *, watches: bool = False) -> None:
        self._seen_to = seen_to
        self._numbers: dict[Node, int] = {}
        self.watches = watches

    @property
    def is_used(self) -> bool:
        """Whether some operation may go wrong, as far as compiling has told."""
        return bool(self._numbers)

    def before(self, node: Node, values: Sequence[Any], states: Any) -> None:
        """Guard an operation against inputs with values that it cannot take."""
        if node.op.guard is None or node in self._seen_to:
            return
        if node.op.state not in (None, "own"):
            held = [states.values[slot] for slot in node.ins[: node.op.held]]
            values = [*held, *values[node.op.held :]]
        if not _is_sure(node, values, states.ranges):
            self._note(node, guarded(node.op, values, node.attrs), states)

    def after(self, node: Node, outputs: Sequence[Any], states: Any) -> None:
        """Let the watcher see outputs."""
        watcher = node.watcher
        if watcher is None:
            return
        for index, value in enumerate(outputs):
            if watcher.watches(node.operation, index):
                self._note(node, watcher.fine(_namespace([value]), value), states)

    def _note(self, node: Node, fine: Any, states: Any) -> None:
        if isinstance(fine, bool | np.bool_) and fine:
            return
        number = self._numbers.setdefault(node, len(self._numbers) + 1)
        before = states.values[ALARM]
        raised = xla.jnp.logical_and(before == 0, xla.jnp.logical_not(fine))
        states.write(ALARM, xla.jnp.where(raised, np.int32(number), before))

    def error(self, number: int) -> Exception:
        """What to raise when the program came back with `number`."""
        node = next(n for n, found in self._numbers.items() if found == number)
        want = "made a NaN or an infinity" if node.op.guard is None else node.op.guard.want
        message = f"{node.op.name}: {want}. [Op:{node.op.name}]"
        return InvalidArgumentError(None, node.operation, message)


_VALUES_TRIED = 1 << 16  # values of a number that are all tried


def _is_sure(node: Node, values: Sequence[Any], ranges: Mapping[int, tuple[int, int]]) -> bool:
    """Whether the guard of a node is content with everything that a number in a range may be."""
    places = [place for place, slot in enumerate(node.ins) if slot in ranges]
    if len(places) != 1:
        return False
    low, high = ranges[node.ins[places[0]]]
    if high - low >= _VALUES_TRIED:
        return False
    tried = list(values)
    tried[places[0]] = np.arange(low, high + 1)
    fine = guarded(node.op, tried, node.attrs)
    return isinstance(fine, bool | np.bool_) and bool(fine)


def guarded(op: Any, values: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """The truth, as a scalar, of an op's inputs being such as it can take."""
    packed, options = op.pack(values, attrs)
    return op.guard.fine(_namespace(values), *packed, **options)


def _namespace(values: Sequence[Any]) -> Any:
    known = all(isinstance(v, np.ndarray | np.generic) for v in values)
    return np if known else xla.jnp
