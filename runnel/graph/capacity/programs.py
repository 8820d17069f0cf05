"""A loop compiled once for all numbers of iterations up to a capacity.

Sentences have hundreds of lengths. A program for each costs more than it saves, and a loop over
time that is interpreted costs more than the rest of a network. So a loop whose length enters by the
number of its iterations and by the rows of its columns alone gets them with rows to spare, up to
one of a few capacities: then its length is data. What it computes is the same, and what it cannot
do so, or fails at, the host does.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from runnel.backend import configuration, forks
from runnel.backend.cache import BoundedCache
from runnel.backend.patience import COMPILED, SLOW, Patience, compiling
from runnel.core.op.op import Op, execute
from runnel.core.settings import meshes
from runnel.core.tensor.tensor_list import Copies, Nested, Stacked, TensorList, pile
from runnel.core.values.tracebacks import let_through
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.capacity.columns import Columns, highest_rows, is_count
from runnel.graph.control.subgraphs import trace
from runnel.graph.run.nested import is_host, owners, written_inputs
from runnel.graph.run.plan import Plan
from runnel.graph.run.program import Program, on_host, program_of

_PER_NODE = 5e-5  # seconds; what an operation takes in a loop on the host, about
_PRICE = 0.2  # seconds on the host, after which a program pays if there are many
_MOST_PROGRAMS = 32  # that are kept of one loop
_FREELY = 12  # programs of one loop that need not be earned
_LEAST = 16  # iterations; fewer are done soon
_MANY = 256  # iterations; more take much memory


class Room(NamedTuple):
    """How a loop is compiled: for so many iterations at most, with inputs that are `known`."""

    bound: int
    known: Mapping[int, Any]

    def fill(self, values: Sequence[Any]) -> list[Any]:
        """The inputs of the loop with those that are known."""
        filled = list(values)
        for place, value in self.known.items():
            filled[place] = value
        return filled


def capacity(length: int) -> int:
    """The least capacity of at least `length`: powers of two, and those halfway between large ones.

    A smaller one would save memory, a larger one programs, each of which takes a second or so.
    """
    power = 1 << max(length - 1, 1).bit_length()
    return power * 3 // 4 if _MANY < length <= power * 3 // 4 else power


class Roomy:
    """Runs one loop by programs with room to spare."""

    def __init__(
        self, declared: Op, attrs: Mapping[str, Any], stacks: Sequence[SymbolicTensor] | None
    ) -> None:
        self._declared, self._attrs = declared, attrs
        self._cond: FuncGraph = attrs["cond"]
        self._body: FuncGraph = attrs["body"]
        self._stacks, self._limit = stacks, attrs["limit"]
        test, step = program_of(self._cond), program_of(self._body, stacks or ())
        self.columns = Columns(test, step)
        self._known_before = self.columns.known_before()
        self._nodes = len(step.nodes)
        self.fits = bool(self.columns.found) and _is_plain(test) and _is_plain(step)
        self._patience = Patience(1)
        self.programs: BoundedCache[Plan] = BoundedCache(_MOST_PROGRAMS)

    def run(self, values: Sequence[Any]) -> list[Any] | None:
        """The results of the loop; None if the host had better run it."""
        limit = int(values[self._limit])
        if limit < _LEAST or forks.forked or meshes.made.any or configuration.by_shape:
            return None
        room = self._room(values, limit)
        if room is None:
            return None
        args = self._padded(values, room)
        if args is None:
            return None
        key = (room.bound, *[_shown(v) for v in args], *_contents(room))
        if not self._pays(key, limit):
            return None
        return self._run(key, room, args, values)

    @property
    def capacities(self) -> list[int]:
        """For how many iterations there are programs."""
        return sorted({key[0] for key, _ in self.programs.items()})  # type: ignore[index]

    def _room(self, values: Sequence[Any], limit: int) -> Room | None:
        """The capacity for so many iterations, and what is known when the loop is compiled."""
        columns = self.columns
        last = highest_rows(columns, values, limit)
        if last is None or any(len(values[place]) <= row for place, row in last.items()):
            return None
        bound = capacity(limit)
        known: dict[int, Any] = {
            p: np.zeros((), values[p].dtype) for p in columns.up if not int(values[p])
        }
        for place, first in self._known_before.items():
            value = _fixed(values[place], bound, skips_first=first)
            if value is None:
                return None
            known[place] = value
        for place in columns.found:
            rows = len(values[place])
            if place not in known and is_count(values[place], min(rows, bound)):
                kind = values[place].held.dtype
                known[place] = Stacked(np.arange(max(capacity(rows), bound), dtype=kind))
        return Room(bound, known)

    def _padded(self, values: Sequence[Any], room: Room) -> list[Any] | None:
        """The inputs, columns with rows to spare, and 0 for those that are known."""
        args = list(values)
        for place in room.known:
            args[place] = np.int32(0)
        for place in self.columns.found:
            if place not in room.known:
                rows = len(values[place])
                args[place] = _with_rows(values[place], max(capacity(rows), room.bound))
        return None if any(arg is None for arg in args) else args

    def _pays(self, key: Any, limit: int) -> bool:
        patience = self._patience
        if patience.shapes.get(key) is COMPILED and self.programs.get(key) is not None:
            return True
        seconds = limit * self._nodes * _PER_NODE
        patience.ran(key, seconds)
        return (seconds >= SLOW and patience.kept < _FREELY) or patience.pays(key, _PRICE)

    def _run(
        self, key: Any, room: Room, args: Sequence[Any], values: Sequence[Any]
    ) -> list[Any] | None:
        plan, start, before = self.programs.get(key), time.perf_counter(), compiling.seconds
        is_new = plan is None
        try:
            if plan is None:
                plan = self.programs[key] = self._plan(room)
            found = plan.run(args)
        except Exception as error:  # the host tells what is wrong
            let_through(error)
            found = None
        if plan is None or plan.cuts:
            self.fits = False
            return None
        if is_new:
            self._patience.compiled(key, time.perf_counter() - start)
            compiling.seconds = before + time.perf_counter() - start  # the plan's included
        return None if found is None else self._results(found, values)

    def _plan(self, room: Room) -> Plan:
        body, attrs = self._body, {**self._attrs, "room": room}

        def loop(*given: Any) -> list[Any]:
            args, full = self._declared.flatten(([*given],), attrs)
            outputs = execute(self._declared, args, full)
            return [outputs[i] for i in self.columns.varying] + list(outputs[len(given) :])

        graph = trace(loop, f"{body.name}_up_to_{room.bound}", body.inputs)
        return Plan(graph, graph.inputs, graph.outputs, at_once=True)

    def _results(self, found: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        """The results of the loop as they would be without room to spare."""
        varying, outputs = self.columns.varying, list(values)
        here = [on_host(value) for value in found]
        for place, value in zip(varying, here, strict=False):
            column = place in self.columns.found
            outputs[place] = _cut(value, len(values[place])) if column else value
        stacks = here[len(varying) :]
        for number, place in self.columns.shapes.items():
            kept = stacks[number]
            stacks[number] = Copies(np.array(values[place].shape, kept.held.dtype), len(kept))
        return [*outputs, *stacks]


def _is_plain(program: Program) -> bool:
    """Whether all that a graph does is to compute, and to read variables."""
    return not owners(node.operation for node in program.nodes) and not any(
        node.watcher is not None
        or is_host(node.operation)
        or node.op.writes
        or written_inputs(node.operation)
        or (node.has_effect and node.op.state != "read")
        for node in program.nodes
    )


def _fixed(value: Any, rows: int, *, skips_first: bool) -> Any:
    """A small value that is known when a loop is compiled, without what does not matter of it."""
    held = value.held if isinstance(value, Copies) else value
    if not isinstance(held, np.ndarray | np.generic) or held.size > 64:
        return None
    if skips_first and held.ndim == 1:
        held = np.where(np.arange(held.size) == 0, 0, held).astype(held.dtype)
    return Copies(held, rows) if isinstance(value, Copies) else held


def _with_rows(value: Any, rows: int) -> Any:
    """A column with rows to spare; None if that cannot be."""
    if isinstance(value, Copies):
        return Copies(value.held, rows)
    if isinstance(value, TensorList):
        written = [item for item in value.items if item is not None]
        if not written:
            return TensorList((None,) * rows, value.dtype, value.dims)
        if len(written) == len(value):
            value = pile(written, value.dtype, value.dims)
    if isinstance(value, Nested | TensorList):
        return None
    held = value.held if isinstance(value, Stacked) else value
    if len(held) != rows:
        longer = np.zeros((rows, *held.shape[1:]), held.dtype)
        longer[: len(held)] = held
        held = longer
    return Stacked(held) if isinstance(value, Stacked) else held


def _cut(value: Any, rows: int) -> Any:
    """A column without what was to spare."""
    if isinstance(value, Stacked):
        return value if len(value) == rows else value.holding(value.held[:rows])
    return value[:rows]


def _shown(value: Any) -> Any:
    """What tells inputs apart that need programs of their own."""
    if isinstance(value, Copies):
        return "copies", len(value), value.held.shape
    if isinstance(value, Stacked):
        return "list", value.held.shape
    if isinstance(value, TensorList):
        return "empty", len(value), value.dims
    return value.shape


def _contents(room: Room) -> list[Any]:
    held = [(place, getattr(value, "held", value)) for place, value in room.known.items()]
    return [(place, value.shape, value.tobytes()) for place, value in held]
