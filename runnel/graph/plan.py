"""How a graph is run: cut into segments that XLA compiles, with host operations between them.

An operation gets a stage. Even stages are segments, odd ones host operations run one by one. A
stage is the least that comes after the stages of its inputs and of earlier operations on the same
state, so that a graph without host operations is one segment: one XLA call.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from runnel.core import eager, xla
from runnel.core.cache import BoundedCache
from runnel.core.tensor_list import register_lists
from runnel.core.types import Array
from runnel.graph.lowering import NotStatic, States, lower
from runnel.graph.program import (
    Node,
    Program,
    is_host,
    on_host,
    owners,
    variable_slots,
    written,
)

if TYPE_CHECKING:
    from runnel.graph.graph import Graph
    from runnel.graph.tensor import SymbolicTensor

_COMPILE_AFTER = 2  # interpreted runs at the same shapes
_TINY = 8  # operations; so few on small tensors are run by NumPy before XLA has been called
_SLOW = 0.05  # seconds; a run that takes longer is compiled the next time


class Segment:
    """Consecutive nodes that are compiled together."""

    def __init__(self, plan: Plan, nodes: list[Node]) -> None:
        self.nodes = nodes
        made = {slot for node in nodes for slot in node.outs}
        used = {slot for node in nodes for slot in node.ins}
        resources = {slot for node in nodes for slot in variable_slots(node)}
        self.constants = {s: plan.program.constants[s] for s in used if s in plan.program.constants}
        self.inputs = sorted(used - made - resources - set(self.constants))
        self.resources = sorted(resources)
        self.updated = sorted(written(nodes))
        self.owners = owners(node.operation for node in nodes)
        self.outputs = sorted(made & plan.used_outside(nodes))
        self.host_slots = plan.host_slots
        self.compile_seconds: BoundedCache[float] = BoundedCache(256)  # by the shapes of a run
        self._programs: dict[tuple[int, ...], Any] = {}

    def run(self, env: list[Any]) -> None:
        """Run the compiled program on the values in `env`; what it changes is locked meanwhile."""
        held, places = _distinct([env[s] for s in self.resources])
        program = self._programs.get(places)
        if program is None:
            program = self._programs[places] = _Compiled(self, places)
        changed = [held[index] for index in program.written] + [op.owner for op in self.owners]
        if not changed:
            self._run(program, held, env)
            return
        with ExitStack() as locks:
            for state in sorted(changed, key=id):
                locks.enter_context(state.lock)
            self._run(program, held, env)

    def _run(self, program: _Compiled, held: Sequence[Any], env: list[Any]) -> None:
        args = [held[i].give() for i in program.written]
        args += [held[i].lend() for i in program.read]
        args += [operation.owner.value for operation in self.owners]  # type: ignore[union-attr]
        args += [env[s] for s in self.inputs]
        results = program.run(*args)
        count = len(program.written)
        for index, value in zip(program.written, results, strict=False):
            held[index].take(value)
        for operation, value in zip(self.owners, results[count:], strict=False):
            operation.owner.value = value  # type: ignore[union-attr]
        for slot, value in zip(self.outputs, results[count + len(self.owners) :], strict=True):
            env[slot] = on_host(value) if slot in self.host_slots else value


class _Compiled:
    """A segment's program for handles of which some may stand for the same variable.

    Its arguments are the variables it writes, those it only reads, the states of ops, and the
    inputs.
    """

    def __init__(self, segment: Segment, places: tuple[int, ...]) -> None:
        register_lists()
        self._segment = segment
        self._places = dict(zip(segment.resources, places, strict=True))
        self.written = sorted({self._places[slot] for slot in segment.updated})
        self.read = sorted({p for p in places if p not in self.written})
        self.run = xla.compile(self._program, donate_argnums=tuple(range(len(self.written))))

    def _program(self, *args: Array) -> list[Any]:
        segment = self._segment
        rest = iter(args)
        variables = {place: next(rest) for place in (*self.written, *self.read)}
        values: dict[Any, Any] = {operation: next(rest) for operation in segment.owners}
        states = _SharedStates({**values, **variables}, self._places)
        env: dict[int, Any] = dict(segment.constants)
        env.update(zip(segment.inputs, rest, strict=True))
        lower(segment.nodes, env, states)
        own = [states.values[operation] for operation in segment.owners]
        new = [states.values["place", p] for p in self.written]
        return [*new, *own, *[env[s] for s in segment.outputs]]


class _SharedStates(States):
    """States in which several slots may stand for one variable."""

    def __init__(self, values: dict[Any, Any], places: dict[int, int]) -> None:
        super().__init__(_ByPlace(values, places))


class _ByPlace(dict[Any, Any]):
    def __init__(self, values: dict[Any, Any], places: dict[int, int]) -> None:
        super().__init__({("place", k) if isinstance(k, int) else k: v for k, v in values.items()})
        self._slots = {slot: ("place", place) for slot, place in places.items()}

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self._slots.get(key, key))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(self._slots.get(key, key), value)


def _distinct(held: Sequence[Any]) -> tuple[list[Any], tuple[int, ...]]:
    """The resources without repetition, and for each of `held` its place among them."""
    unique: list[Any] = []
    places: dict[int, int] = {}
    for resource in held:
        if id(resource) not in places:
            places[id(resource)] = len(unique)
            unique.append(resource)
    return unique, tuple([places[id(resource)] for resource in held])


class Plan:
    """Runs a graph from inputs to outputs, interpreting at first and compiling when it pays."""

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[SymbolicTensor],
        outputs: Sequence[SymbolicTensor],
        *,
        at_once: bool = False,
    ) -> None:
        self.program = Program(graph, inputs, outputs)
        self.traced = len(graph._operations)  # with those that nothing needs
        self.at_once = at_once  # compile at the first run
        nodes = self.program.nodes
        self.heavy = any(node.op.heavy for node in nodes)
        self.tiny = len(nodes) <= _TINY and all(
            node.op.lower is None and not node.op.xla and not _makes_much(node) for node in nodes
        )
        self.cuts: dict[
            int, str
        ] = {}  # by node: why it is run on the host although it has an XLA kernel
        self.host_slots: set[int] = set()  # what host operations read
        self._stages: list[Segment | Node] | None = None
        self._runs: BoundedCache[int] = BoundedCache(256)
        self._lock = threading.Lock()

    def run(self, values: Sequence[Any]) -> list[Any]:
        """The outputs' values."""
        if self.tiny and not self.at_once and not self._is_large(values):
            return self.program.interpret(values)
        shapes = tuple([v.shape for v in values])
        runs = self._runs.get(shapes) or 0
        if runs > _COMPILE_AFTER:
            return self.run_compiled(values)
        if runs == _COMPILE_AFTER or self.at_once or (self.heavy and self._is_large(values)):
            result = self.run_compiled(values, timed_as=shapes)
            self._runs[shapes] = _COMPILE_AFTER + 1
            return result
        start = time.perf_counter()
        result = self.program.interpret(values)
        slow = time.perf_counter() - start > _SLOW
        self._runs[shapes] = _COMPILE_AFTER if slow else runs + 1
        return result

    def _is_large(self, values: Sequence[Any]) -> bool:
        return any(getattr(v, "elements", v.size) > eager.LARGE for v in values)

    def run_compiled(self, values: Sequence[Any], timed_as: Any = None) -> list[Any]:
        """Run stage by stage; a node that turns out to need a value while compiling moves to the
        host.

        With `timed_as`, each segment notes under that key what its run took: compiling, mostly.
        """
        stages = self.stages()
        env = self.program.environment(values)
        for slot in self.host_slots.intersection(self.program.inputs):
            env[slot] = on_host(env[slot])
        for number, stage in enumerate(stages):
            if not isinstance(stage, Segment):
                stage.interpret(env)
                continue
            start = time.perf_counter() if timed_as is not None else 0.0
            try:
                stage.run(env)
                if timed_as is not None:
                    stage.compile_seconds[timed_as] = time.perf_counter() - start
            except NotStatic as found:
                self._cut(found.node)
                self._interpret_rest(stages[number:], env)
                break
        return [env[slot] for slot in self.program.outputs]

    def _interpret_rest(self, stages: Sequence[Segment | Node], env: list[Any]) -> None:
        """Finish a run whose remaining stages are to be cut anew before the next one."""
        rest = {id(n) for s in stages for n in (s.nodes if isinstance(s, Segment) else [s])}
        env[:] = [value if value is None else on_host(value) for value in env]
        for node in self.program.nodes:
            if id(node) in rest:
                node.interpret(env)

    def _cut(self, node: Node) -> None:
        names = [node.operation.inputs[i].name for i in node.static]  # type: ignore[attr-defined]
        with self._lock:
            self.cuts[id(node)] = f"its shape depends on the value of {', '.join(names)}"
            self._stages = None

    def stages(self) -> list[Segment | Node]:
        with self._lock:
            if self._stages is None:
                self._stages = self._make_stages()
            return self._stages

    def is_host(self, node: Node) -> bool:
        return id(node) in self.cuts or is_host(node.operation)

    def _make_stages(self) -> list[Segment | Node]:
        hosts = [node for node in self.program.nodes if self.is_host(node)]
        self.host_slots = {slot for node in hosts for slot in node.ins}
        buckets: dict[int, list[Node]] = {}
        stage_of_slot: dict[int, int] = {}
        last_effect: dict[Any, int] = {}
        for node in self.program.nodes:
            least = max([stage_of_slot.get(slot, 0) for slot in node.ins], default=0)
            keys = _state_keys(node)
            least = max([least, *[last_effect.get(key, 0) for key in keys]])
            stage = least + (least % 2 != self.is_host(node))
            buckets.setdefault(stage, []).append(node)
            stage_of_slot.update((slot, stage) for slot in node.outs)
            last_effect.update((key, stage) for key in keys)
        stages: list[Segment | Node] = []
        for number in sorted(buckets):
            stages += buckets[number] if number % 2 else [Segment(self, buckets[number])]
        return stages

    def used_outside(self, nodes: Sequence[Node]) -> set[int]:
        """The slots that other stages or the caller read."""
        inside = {id(node) for node in nodes}
        used = {slot for node in self.program.nodes if id(node) not in inside for slot in node.ins}
        return used | set(self.program.outputs)


def _makes_much(node: Node) -> bool:
    """Whether an operation is known to have a large output, such as many random numbers."""
    sizes = [t.shape.num_elements() for t in node.operation.outputs]
    return any(size is not None and size > eager.LARGE for size in sizes)


def _state_keys(node: Node) -> list[Any]:
    """What must be used in program order: a variable, or the outside world."""
    keys: list[Any] = list(variable_slots(node))
    if (
        node.op.state is None
        and node.op.stateful
        and (node.op.lower is None or is_host(node.operation))
    ):
        keys.append("effects")
    return keys
