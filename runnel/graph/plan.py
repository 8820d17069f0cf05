"""How a graph is run: cut into segments that XLA compiles, with host operations between them.

An operation gets a stage. Even stages are segments, odd ones host operations run one by one. A
stage is the least that comes after the stages of its inputs and of earlier operations on the same
state, so that a graph without host operations is one segment: one XLA call.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runnel.core import compilation_cache, configuration, eager, xla
from runnel.core.cache import BoundedCache
from runnel.core.errors import OpError
from runnel.core.patience import COMPILED, INTERPRETED, SLOW, Patience, Trial
from runnel.core.resource import Resource
from runnel.core.tensor_list import TensorList, register_lists
from runnel.core.types import Array
from runnel.graph import sharing, watching
from runnel.graph.foreseeing import Foreseen
from runnel.graph.lowering import NotStatic, States, find_anchors, lower
from runnel.graph.program import (
    Node,
    Program,
    is_guarded,
    is_host,
    is_watched,
    on_host,
    owners,
    runs_python,
    size_of,
    variable_slots,
    written,
)

if TYPE_CHECKING:
    from runnel.graph.graph import Graph
    from runnel.graph.tensor import SymbolicTensor

_COMPILE_AFTER = 2  # interpreted runs at the same shapes
_MOST_SHAPES = 128  # programs of one plan, each some megabytes
_TINY = 8  # operations; so few on small tensors are run by NumPy before XLA has been called
_QUICK = 0.005  # seconds; runs that take less are tried both ways if they are cut
_MOST_NODES, _MOST_INPUTS = 500, 256  # of one segment
_MOST_KEPT = 600  # operations of a program on disk, those inside loops and branches too
_ONE = np.float32(1)


class _Places(NamedTuple):
    """Which variables the handles of a segment stand for: those of one number, for the same."""

    numbers: tuple[int, ...] = ()
    changing: tuple[int, ...] = ()  # those whose shape an assignment may change


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
        self.outputs = sorted(made & plan.crossing)
        self.anchors = find_anchors(nodes, set(self.outputs))
        self.host_slots = plan.host_slots
        self.compile_seconds: BoundedCache[float] = BoundedCache(256)  # by the shapes of a run
        self.guarded = any(is_guarded(node.operation) for node in nodes)
        self.watched = any(is_watched(node.operation) for node in nodes)
        self.is_kept = size_of(nodes) <= _MOST_KEPT
        self.foreseen = Foreseen(nodes, self.inputs)
        self._programs: dict[Any, _Compiled] = {}
        self._latest: Any = (None, [], _Places())  # what `_distinct` found last, by ids

    def run(self, env: list[Any]) -> None:
        """Run the compiled program on the values in `env`; what it changes is locked meanwhile."""
        held, places = self._distinct([env[s] for s in self.resources])
        program = self.compiled(places, self.foreseen.is_fine(env))
        changed = [held[index] for index in program.written] + [op.owner for op in self.owners]
        changed.sort(key=id)  # one order for all, or two would block
        taken = []
        try:
            for state in changed:
                state.lock.acquire()
                taken.append(state.lock)
            self._run(program, held, env)
        finally:
            for lock in taken:
                lock.release()

    def _distinct(self, held: list[Any]) -> tuple[list[Any], _Places]:
        """The resources without repetition, and for each of `held` its place among them."""
        ids = tuple(map(id, held))
        latest = self._latest
        if latest[0] != ids:
            place_of = {number: place for place, number in enumerate(dict.fromkeys(ids))}
            firsts = [ids.index(number) for number in place_of]
            shapes = [held[first].static_shape for first in firsts]
            changing = tuple(p for p, s in enumerate(shapes) if not s.is_fully_defined())
            places = _Places(tuple([place_of[number] for number in ids]), changing)
            latest = self._latest = (ids, firsts, places)
        return [held[first] for first in latest[1]], latest[2]

    def compiled(self, places: _Places, fine: bool = False) -> _Compiled:
        """The program for handles that stand for variables as `places` says.

        If all that can be foreseen is `fine`, it does without the guards for that.
        """
        key = (places, fine)
        program = self._programs.get(key)
        if program is None:
            program = self._programs[key] = _Compiled(self, places, fine)
        return program

    @property
    def parts(self) -> int:
        """Into how many parts a batch was divided at most, which threads compute at once."""
        runs = [program.run for program in self._programs.values()]
        return max([run.parts for run in runs if isinstance(run, sharing.Shared)] or [1])

    def lowered(self, env: list[Any]) -> Any:
        """JAX's stage before the compiler, for values in `env` of which the shapes suffice."""
        held, places = self._distinct([env[s] for s in self.resources])
        program = self.compiled(places)
        args = [held[i].lend() for i in (*program.given, *program.lent)]
        args += [operation.owner.value for operation in self.owners]  # type: ignore[union-attr]
        args += [env[s] for s in self.inputs]
        return program.run.lower(*args, *([_ONE] if self.anchors else []))

    def _run(self, program: _Compiled, held: Sequence[Any], env: list[Any]) -> None:
        args = [held[i].give() for i in program.given]
        args += [held[i].lend() for i in program.lent]
        args += [operation.owner.value for operation in self.owners]  # type: ignore[union-attr]
        args += [_compact(env[s]) for s in self.inputs]
        if self.anchors:
            args.append(_ONE)
        try:
            results = program.run(*args)
        except TypeError as error:
            raise self._not_arrays(env) or error from error
        if program.alarm is not None:
            alarm = results.pop()
            number = int(alarm) if program.alarm.is_used else 0  # which waits for the program
            if number:
                for index, value in zip(program.given, results, strict=False):
                    held[index].take(value)  # what it was before
                raise self._failure(program, number, env)
        count = len(program.written)
        for index, value in zip(program.written, results, strict=False):
            held[index].take(value)
        for operation, value in zip(self.owners, results[count:], strict=False):
            operation.owner.value = value  # type: ignore[union-attr]
        for slot, value in zip(self.outputs, results[count + len(self.owners) :], strict=True):
            env[slot] = on_host(value) if slot in self.host_slots else value

    def _not_arrays(self, env: list[Any]) -> NotStatic | None:
        """What to do about inputs that are no arrays, as variants may be: they go to the host."""
        strange = {slot for slot in self.inputs if _is_strange(env[slot])}
        for node in self.nodes:
            if strange.intersection(node.ins):
                return NotStatic(node, "it gets values that are neither arrays nor lists of arrays")
        return None

    def _failure(self, program: _Compiled, number: int, env: list[Any]) -> Exception:
        """The error of a run that went wrong, from the interpreter if the inputs are still there.

        Nothing has been assigned yet, unless the memory of variables was given away.
        """
        if not program.given:
            env[:] = [value if value is None else on_host(value) for value in env]
            try:
                for node in self.nodes:
                    node.interpret(env)
            except OpError as error:
                return error
        assert program.alarm is not None
        return program.alarm.error(number)


def _compact(value: Any) -> Any:
    return value.compact() if type(value) is TensorList else value


def _is_strange(value: Any) -> bool:
    if isinstance(value, TensorList):
        return any(_is_strange(item) for item in value.items if item is not None)
    return isinstance(value, Resource)


class _Compiled:
    """A segment's program for handles of which some may stand for the same variable.

    Its arguments are the variables whose memory it is `given` to overwrite, those it is `lent`, the
    states of ops, the inputs, and 1 if there are anchors. A variable that it gives another shape is
    not overwritten: if something goes wrong, it must be what it was.
    """

    def __init__(self, segment: Segment, places: _Places, fine: bool) -> None:
        register_lists()
        self._segment = segment
        self._places = dict(zip(segment.resources, places.numbers, strict=True))
        updated = {self._places[slot] for slot in segment.updated}
        watched = segment.watched
        seen_to = segment.foreseen.nodes if fine else ()
        alarmed = watched or segment.guarded
        self.alarm = watching.Alarm(seen_to, watches=watched) if alarmed else None
        self.given = [] if watched else sorted(updated.difference(places.changing))
        self.written = [*self.given, *sorted(updated.difference(self.given))]
        self.lent = sorted(set(places.numbers).difference(self.given))
        donated = tuple(range(len(self.given)))
        self.run: Any
        if not watched and sharing.may_pay(segment.nodes):
            others = len(self.given) + len(self.lent) + len(segment.owners)
            self.run = sharing.Shared(self._program, others, donated)
        else:
            self.run = xla.compile(self._program, donate_argnums=donated)

    def _program(self, *args: Array) -> list[Any]:
        segment = self._segment
        if not segment.is_kept:
            compilation_cache.skip()
        rest = iter(args)
        variables = {place: next(rest) for place in (*self.given, *self.lent)}
        values: dict[Any, Any] = {operation: next(rest) for operation in segment.owners}
        if self.alarm is not None:
            values[watching.ALARM] = xla.jnp.int32(0)
        states = _SharedStates({**values, **variables}, self._places, self.alarm)
        env: dict[int, Any] = dict(segment.constants)
        env.update(zip(segment.inputs, rest, strict=False))
        lower(segment.nodes, env, states, segment.anchors, args[-1] if segment.anchors else None)
        own = [states.values[operation] for operation in segment.owners]
        new = [states.values["place", p] for p in self.written]
        if self.given and self.alarm is not None and self.alarm.is_used:
            fine = states.values[watching.ALARM] == 0  # else the only copy of a variable is changed
            count = len(self.given)
            kept = [xla.jnp.where(fine, value, old) for value, old in zip(new[:count], args)]
            new = [*kept, *new[count:]]
        found = [*new, *own, *[env[s] for s in segment.outputs]]
        return found if self.alarm is None else [*found, states.values[watching.ALARM]]


class _SharedStates(States):
    """States in which several slots may stand for one variable."""

    def __init__(
        self, values: dict[Any, Any], places: dict[int, int], alarm: watching.Alarm | None
    ) -> None:
        super().__init__(_ByPlace(values, places), alarm)


class _ByPlace(dict[Any, Any]):
    def __init__(self, values: dict[Any, Any], places: dict[int, int]) -> None:
        super().__init__({("place", k) if isinstance(k, int) else k: v for k, v in values.items()})
        self._slots = {slot: ("place", place) for slot, place in places.items()}

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self._slots.get(key, key))

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(self._slots.get(key, key), value)


class Direct:
    """The short way through a plan that is one segment without state: inputs in, outputs out."""

    def __init__(self, segment: Segment, program: Program) -> None:
        self._program = segment.compiled(_Places())
        self._inputs = [program.inputs.index(slot) for slot in segment.inputs]
        self._outputs = [segment.outputs.index(slot) for slot in program.outputs]

    @classmethod
    def of(cls, program: Program, stages: Sequence[Segment | Node]) -> Direct | None:
        """The short way, if there is one."""
        if len(stages) != 1 or not isinstance(stages[0], Segment):
            return None
        segment = stages[0]
        stateful = segment.resources or segment.owners or segment.guarded
        if stateful or segment.anchors or segment.watched:
            return None
        if not set(program.outputs) <= set(segment.outputs):
            return None
        return cls(segment, program)

    def run(self, values: Sequence[Any]) -> list[Any]:
        results = self._program.run(*[_compact(values[place]) for place in self._inputs])
        return [results[place] for place in self._outputs]


class Stages(list["Segment | Node"]):
    """The stages of a plan; `dead` are, for each, the slots that nobody reads after it."""

    def __init__(self, stages: Sequence[Segment | Node], dead: list[list[int]]) -> None:
        super().__init__(stages)
        self.dead = dead


def _forget(slots: Sequence[int], env: list[Any]) -> None:
    """Let go of the memory of values."""
    for slot in slots:
        env[slot] = None


class Plan:
    """Runs a graph from inputs to outputs, interpreting at first and compiling when it pays."""

    def __init__(
        self,
        graph: Graph,
        inputs: Sequence[SymbolicTensor],
        outputs: Sequence[SymbolicTensor],
        *,
        at_once: bool = False,
        inner: bool = False,
    ) -> None:
        self.program = Program(graph, inputs, outputs)
        self.inner = inner  # a branch or the body of a loop: one call may run it often
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
        self.crossing: set[int] = set()  # what is read outside the stage that makes it
        self._stages: Stages | None = None
        self._direct: Direct | None = None
        self.patience = Patience(_COMPILE_AFTER)
        self._latest = math.inf  # seconds that the latest interpreted run took
        self._trials: dict[Any, Trial] = {}  # by shapes
        self._lock = threading.Lock()

    def run(self, values: Sequence[Any]) -> list[Any]:
        """The outputs' values."""
        if self.tiny and not self.at_once and not self._is_large(values):
            return self.program.interpret(values)
        shapes = tuple([v.shape for v in values])
        known = self.patience.shapes.get(shapes)
        if known is COMPILED:
            trial = self._trials.get(shapes) if self._trials else None
            return self.run_compiled(values) if trial is None else self._try(trial, values, shapes)
        if known is INTERPRETED:
            return self.program.interpret(values)
        at_once = self.at_once or configuration.jit
        if self._pays(shapes) or at_once or (self.heavy and self._is_large(values)):
            return self._compile(values, shapes)
        start = time.perf_counter()
        result = self.program.interpret(values)
        self._latest = time.perf_counter() - start
        self.patience.ran(shapes, self._latest)
        return result

    def _try(self, trial: Trial, values: Sequence[Any], shapes: Any) -> list[Any]:
        """Run a program in pieces: calling XLA for each of them may take longer than NumPy."""
        start = time.perf_counter()
        result = self.run_compiled(values) if trial.compiles else self.program.interpret(values)
        trial.note(time.perf_counter() - start)
        if trial.is_over:
            self._trials.pop(shapes, None)
            if not trial.pays and self.patience.shapes.get(shapes) is COMPILED:
                self.patience.interpreted(shapes)
        return result

    def _pays(self, shapes: Any) -> bool:
        return self.patience.pays(shapes) and (not self.inner or self.patience.spent > SLOW)

    def _compile(self, values: Sequence[Any], shapes: Any) -> list[Any]:
        """A run at shapes that are compiled from now on."""
        start = time.perf_counter()
        result = self.run_compiled(values, timed_as=shapes)
        if self._stages is None:  # it has been cut
            self.patience.insist(shapes)
            return result
        self.patience.compiled(shapes, time.perf_counter() - start)
        if len(self._stages) > 1 and self._latest < _QUICK:
            self._trials[shapes] = Trial()
        if self.patience.kept >= _MOST_SHAPES:
            self._start_anew()
        return result

    def _start_anew(self) -> None:
        """Forget the programs for all shapes."""
        with self._lock:
            self._stages = self._direct = None
            self.patience.forget()
            self._trials.clear()

    def _is_large(self, values: Sequence[Any]) -> bool:
        for v in values:  # noqa: SIM110 (`any` takes as long as the smallest kernels)
            if getattr(v, "elements", v.size) > eager.LARGE:
                return True
        return False

    def run_compiled(self, values: Sequence[Any], timed_as: Any = None) -> list[Any]:
        """Run stage by stage; a node that turns out to need a value while compiling moves to the
        host.

        With `timed_as`, each segment notes under that key what its run took: compiling, mostly.
        """
        stages = self._stages or self.stages()
        direct = self._direct
        if direct is not None and timed_as is None:
            with suppress(NotStatic):  # found when lists of another length come: see below
                return direct.run(values)
        env, dead = self.program.environment(values), stages.dead
        for slot in self.host_slots.intersection(self.program.inputs):
            env[slot] = on_host(env[slot])
        for number, stage in enumerate(stages):
            if not isinstance(stage, Segment):
                stage.interpret(env)
                _forget(dead[number], env)
                continue
            start = time.perf_counter() if timed_as is not None else 0.0
            try:
                stage.run(env)
                if timed_as is not None:
                    stage.compile_seconds[timed_as] = time.perf_counter() - start
            except NotStatic as found:
                self._interpret_rest(stages[number:], env)  # which raises if the inputs are bad
                self._cut(found)
                break
            _forget(dead[number], env)
        return [env[slot] for slot in self.program.outputs]

    def _interpret_rest(self, stages: Sequence[Segment | Node], env: list[Any]) -> None:
        """Finish a run whose remaining stages are to be cut anew before the next one."""
        rest = {id(n) for s in stages for n in (s.nodes if isinstance(s, Segment) else [s])}
        env[:] = [value if value is None else on_host(value) for value in env]
        for node in self.program.nodes:
            if id(node) in rest:
                node.interpret(env)

    def _cut(self, found: NotStatic) -> None:
        with self._lock:
            self.cuts[id(found.node)] = found.why
            self._stages = None

    def stages(self) -> Stages:
        with self._lock:
            if self._stages is None:
                stages = self._make_stages()
                self._direct = Direct.of(self.program, stages)
                self._stages = stages
            return self._stages

    def is_host(self, node: Node) -> bool:
        return id(node) in self.cuts or is_host(node.operation)

    def _make_stages(self) -> Stages:
        hosts = [node for node in self.program.nodes if self.is_host(node)]
        self.host_slots = {slot for node in hosts for slot in node.ins}
        buckets: dict[int, list[Node]] = {}
        stage_of_slot: dict[int, int] = {}
        last_effect: dict[Any, int] = {}
        variables = {slot for node in self.program.nodes for slot in variable_slots(node)}
        for node in self.program.nodes:
            least = max([stage_of_slot.get(slot, 0) for slot in node.ins], default=0)
            keys = _state_keys(node, variables)
            least = max([least, *[last_effect.get(key, 0) for key in keys]])
            stage = least + (least % 2 != self.is_host(node))
            buckets.setdefault(stage, []).append(node)
            stage_of_slot.update((slot, stage) for slot in node.outs)
            last_effect.update((key, stage) for key in keys)
        groups: list[list[Node]] = []
        for number in sorted(buckets):
            nodes = buckets[number]
            groups += [[node] for node in nodes] if number % 2 else self._pieces(nodes)
        dead = self._find_crossing(groups)
        return Stages([g[0] if self.is_host(g[0]) else Segment(self, g) for g in groups], dead)

    def _pieces(self, nodes: list[Node]) -> list[list[Node]]:
        """A run of nodes in pieces that XLA compiles in a time linear in their number."""
        pieces: list[list[Node]] = [[]]
        known = set(self.program.constants)
        made, read = known.copy(), set[int]()
        for node in nodes:
            if len(pieces[-1]) >= _MOST_NODES or len(read) >= _MOST_INPUTS:
                pieces.append([])
                made, read = known.copy(), set()
            pieces[-1].append(node)
            made.update(node.outs)
            read.update(slot for slot in node.ins if slot not in made)
        return pieces

    def _find_crossing(self, groups: Sequence[list[Node]]) -> list[list[int]]:
        """Note what goes from one stage to another; for each stage, what nobody reads after it."""
        outputs = set(self.program.outputs)
        maker: dict[int, int] = {}
        last: dict[int, int] = {}
        for number, nodes in enumerate(groups):
            maker.update((slot, number) for node in nodes for slot in node.outs)
            last.update((slot, number) for node in nodes for slot in node.ins)
        self.crossing = {
            s for s, number in last.items() if maker.get(s, number) != number
        } | outputs
        dead: list[list[int]] = [[] for _ in groups]
        for slot, number in last.items():
            if slot in maker and slot in self.crossing and slot not in outputs:
                dead[number].append(slot)
        return dead


def _makes_much(node: Node) -> bool:
    """Whether an operation is known to have a large output, such as many random numbers."""
    sizes = [t.shape.num_elements() for t in node.operation.outputs]
    return any(size is not None and size > eager.LARGE for size in sizes)


def _state_keys(node: Node, variables: set[int]) -> list[Any]:
    """What must be used in program order: a variable, or the outside world.

    A Python function may read and write all the `variables` of the program.
    """
    keys: list[Any] = list(variables if runs_python(node.operation) else variable_slots(node))
    compiled = node.op.lower is not None and not is_host(node.operation)
    if node.has_effect and node.op.state is None and not compiled:
        keys.append("effects")
    return keys
