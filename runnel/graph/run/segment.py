"""A run of operations that XLA compiles together, and what its programs take and return.

On the reading path after `graph/run/lowering.py`, before `graph/run/plan.py`.

A program overwrites the memory of the variables that it writes: it is *given* their values, and
while it runs nobody else has them. An exception from outside (Ctrl-C, a signal's handler, another
thread's) may strike wherever Python looks for one: after a call, at the start of a function, at the
end of an iteration. Were there such a place between the run and the storing of the new values, they
would be lost. So one call into C does both (`_run`): an iterator runs the program when it is asked
for the first result, and the results go to their variables one by one.

The first run with new kinds of arguments goes through Python inside of JAX. It gets copies.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, compress, repeat, starmap
from operator import call
from typing import Any

from runnel.backend import compile_cache, configuration, memory
from runnel.backend import jax as xla
from runnel.backend.cache import BoundedCache
from runnel.core.settings import meshes, targets
from runnel.core.state.resource import Resource
from runnel.core.tensor.tensor_list import TensorList, register_lists
from runnel.core.values.errors import OpError
from runnel.core.values.types import Array
from runnel.graph.compiling.versions import Traced, shapes_of
from runnel.graph.run import alarms
from runnel.graph.run.chains import links_to_store
from runnel.graph.run.early_alarms import Foreseen
from runnel.graph.run.effects import is_watched, replicas_of
from runnel.graph.run.layout import Layout, Places, StatesByPlace, kind
from runnel.graph.run.lowering import NotStatic, lower
from runnel.graph.run.nested import is_guarded, owners, size_of, variable_slots, written
from runnel.graph.run.program import Node, on_host

_MOST_KEPT = 600  # operations of a program on disk, those inside loops and branches too
_MOST_KINDS = 1024  # of arguments that a program is known to have been run with

_exhaust: Callable[[Iterable[Any]], Any] = partial(
    deque, maxlen=0
)  # run an iterator to its end, without a step in Python


class Segment:
    """Consecutive nodes that are compiled together.

    Those of its values that are `crossing` go to other stages, or out; what is in `host_slots` is
    read by operations of the host.
    """

    def __init__(
        self,
        nodes: list[Node],
        constants: Mapping[int, Array],
        crossing: Collection[int],
        host_slots: Collection[int],
    ) -> None:
        self.nodes = nodes
        made = {slot for node in nodes for slot in node.outs}
        used = {slot for node in nodes for slot in node.ins}
        resources = {slot for node in nodes for slot in variable_slots(node)}
        self.constants = {s: constants[s] for s in used if s in constants}
        self.inputs = sorted(used - made - resources - set(self.constants))
        self.resources = sorted(resources)
        self.updated = sorted(written(nodes))
        self.owners = owners(node.operation for node in nodes)
        self.outputs = sorted(made.intersection(crossing))
        self.once = links_to_store(nodes, set(self.outputs))
        self.host_slots = host_slots
        self.compile_seconds: BoundedCache[float] = BoundedCache(256)  # by the shapes of a run
        self.well_seconds: BoundedCache[float | None] = BoundedCache(256)  # after first versions
        self.guarded = any(is_guarded(node.operation) for node in nodes)
        self.watched = any(is_watched(node.operation) for node in nodes)
        self.is_kept = size_of(nodes) <= _MOST_KEPT
        self.foreseen = Foreseen(nodes, self.inputs)
        self.devices, self.divided = replicas_of(nodes)
        self.varying: Any = None  # a `Varying` behind host operations
        self._programs: dict[Any, _Compiled] = {}
        self._latest: Any = (None, [], {}, Places())  # what `_distinct` found last, by ids

    def run(self, env: list[Any]) -> None:
        """Run the compiled program on the values in `env`; what it changes is locked meanwhile."""
        fine = not configuration.by_shape and self.foreseen.is_fine(env)
        found = self._distinct([env[s] for s in self.resources])
        if meshes.made.any or self.devices:
            there = targets.place(found[0], env, self.inputs, self.devices, self.divided)
            with xla.jax.default_device(there):
                return self._run_program(fine, found, env)
        return self._run_program(fine, found, env)

    def _run_program(self, fine: bool, found: Any, env: list[Any]) -> None:
        held, known, places = found
        program = known.get(fine)
        if program is None:
            program = known[fine] = self.compiled(places, fine)
        changed = [held[index].lock for index in program.layout.written]
        changed += [operation.owner.lock for operation in self.owners]  # type: ignore[union-attr]
        try:
            if not changed:
                return self._run(program, held, env)
            self._run_locked(program.locks(changed), program, held, env)
        except _Overwritten:
            lent = [held[index].lock for index in program.layout.lent]
            self._run_locked(_Locks([*changed, *lent]), program, held, env)

    def _run_locked(
        self, locks: _Locks, program: _Compiled, held: Sequence[Any], env: list[Any]
    ) -> None:
        """Run a program while nobody else changes what the locks are of.

        They are taken and let go in one call into C each, for no exception to come between.
        """
        taken: list[Any] = []
        releasing = map(call, taken)
        try:
            taken.extend(compress(locks.release, map(call, locks.acquire)))
            self._run(program, held, env)
        finally:
            _exhaust(releasing)

    def _distinct(self, held: list[Any]) -> tuple[list[Any], dict[bool, _Compiled], Places]:
        """The resources without repetition, programs for them, and the place of each of `held`."""
        ids = tuple(map(id, held))
        latest = self._latest
        if latest[0] != ids:
            place_of = {number: place for place, number in enumerate(dict.fromkeys(ids))}
            firsts = [ids.index(number) for number in place_of]
            shapes = [held[first].static_shape for first in firsts]
            changing = tuple(p for p, s in enumerate(shapes) if not s.is_fully_defined())
            places = Places(tuple([place_of[number] for number in ids]), changing)
            latest = self._latest = (ids, firsts, {}, places)
        return [held[first] for first in latest[1]], latest[2], latest[3]

    def compiled(self, places: Places, fine: bool = False) -> _Compiled:
        """The program for handles that stand for variables as `places` says.

        If all that can be foreseen is `fine`, it does without the guards for that.
        """
        key = (places, fine)
        program = self._programs.get(key)
        if program is None:
            program = self._programs[key] = _Compiled(self, places, fine)
        return program

    def traced(self, env: Sequence[Any]) -> Traced:
        """The program for values in `env`, of which some may only be described, traced."""
        held, _, places = self._distinct([env[s] for s in self.resources])
        program = self.compiled(places, self.foreseen.is_expected(env))
        layout = program.layout
        args = [memory.described(held[i].shown()) for i in (*layout.given, *layout.lent)]
        args += [operation.owner.value for operation in self.owners]  # type: ignore[union-attr]
        args += [compact(env[s]) for s in self.inputs]
        own = len(layout.written) + len(self.owners)
        return Traced(program.well.trace(*args), own, program, shapes_of(args))

    def _rest(self, layout: Layout, held: Sequence[Any], env: list[Any]) -> list[Any]:
        """The arguments of a program behind those that it is given."""
        args = [held[i].lend() for i in layout.lent]
        args += [operation.owner.value for operation in self.owners]  # type: ignore[union-attr]
        args += [compact(env[s]) for s in self.inputs]
        return args

    def _run(self, program: _Compiled, held: Sequence[Any], env: list[Any]) -> None:
        layout = program.layout
        rest = self._rest(layout, held, env)
        try:
            if layout.given:
                found = _run_given(program, [held[i] for i in layout.given], rest)
            else:
                found = program.run(*rest)
        except TypeError as error:
            raise self._not_arrays(env) or error from error
        except RuntimeError as error:
            if any(map(xla.was_given_away, rest[: len(layout.lent)])):
                raise _Overwritten from error
            raise
        if program.alarm is not None:
            alarm = found.pop()
            number = int(alarm) if program.alarm.is_used else 0  # which waits for the program
            if number:
                raise self._failure(program, number, env)
        self._store(layout, held, found, env)

    def _store(self, layout: Layout, held: Sequence[Any], found: list[Any], env: list[Any]) -> None:
        """Put results where they belong, but for the variables whose memory was overwritten."""
        rest = iter(found)
        for index in layout.replaced:
            held[index].take(next(rest))
        for operation in self.owners:
            operation.owner.value = next(rest)  # type: ignore[union-attr]
        for slot, value in zip(self.outputs, rest, strict=True):
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
        if not program.layout.given:
            env[:] = [value if value is None else on_host(value) for value in env]
            try:
                for node in self.nodes:
                    node.run(env)
            except OpError as error:
                return error
        assert program.alarm is not None
        return program.alarm.error(number)


class _Locks:
    """The methods of locks, in one order for all programs, or two would block each other."""

    def __init__(self, locks: list[Any]) -> None:
        self.locks = locks
        self.acquire = [lock.acquire for lock in sorted(locks, key=id)]
        self.release = [lock.release for lock in sorted(locks, key=id)]


def _run_given(program: _Compiled, given: list[Any], rest: list[Any]) -> list[Any]:
    """Run a program that overwrites the memory of `given`; the results but for theirs."""
    copies = not program.is_quick(rest)
    args = [resource.give(copies) for resource in given] if copies else _own(given)
    args += rest
    results = chain.from_iterable(starmap(program.run, (args,)))
    _exhaust(map(setattr, given, repeat("device"), results))
    found = list(results)
    for resource in given:
        if resource.host is not None or resource.mirrored is not None:
            resource.drop_mirror()
    if copies and program.run is program.well:
        program.was_run(rest)
    return found


def _own(given: list[Any]) -> list[Any]:
    """The memory of variables that nobody else holds, or copies of what somebody may hold."""
    devices = [resource.device for resource in given]
    shared = [resource.mirrored for resource in given]
    for place, (device, mirrored) in enumerate(zip(devices, shared)):
        if device is None or device is mirrored:
            devices[place] = given[place].give(as_copy=False)
    return devices


class _Overwritten(Exception):
    """Another thread's program has been given a variable before this one could read it."""


def compact(value: Any) -> Any:
    """An argument as a program takes it: a list of many elements as few arrays."""
    return value.compact() if type(value) is TensorList else value


def _is_strange(value: Any) -> bool:
    if isinstance(value, TensorList):
        return any(_is_strange(item) for item in value.items if item is not None)
    return isinstance(value, Resource)


class _Compiled:
    """A segment's program for handles of which some may stand for the same variable."""

    def __init__(self, segment: Segment, places: Places, fine: bool) -> None:
        register_lists()
        self._segment = segment
        self.layout = Layout.of(segment, places)
        seen_to = segment.foreseen.nodes if fine else ()
        alarmed = segment.watched or segment.guarded
        self.alarm = alarms.Alarm(seen_to, watches=segment.watched) if alarmed else None
        given = range(len(self.layout.given))
        self.well = xla.compile(self._program, donate_argnums=tuple(given))
        self.run = self.well  # or `Versions`, while there are first versions
        self._kinds: dict[Any, int] = {}  # of arguments, with how many programs JAX had then
        self._locks = _Locks([])  # of what it changed last

    def locks(self, locks: list[Any]) -> _Locks:
        """The locks of what a run changes, which are mostly those of the run before."""
        latest = self._locks
        if locks != latest.locks:
            latest = self._locks = _Locks(locks)
        return latest

    def is_quick(self, rest: Sequence[Any]) -> bool:
        """Whether JAX runs the program with such arguments without a step in Python."""
        known = self._kinds.get(kind(rest))
        return known is not None and known <= xla.count_programs(self.run)

    def was_run(self, rest: Sequence[Any]) -> None:
        """Note that such arguments are known to JAX."""
        if len(self._kinds) >= _MOST_KINDS:
            self._kinds.clear()
        self._kinds[kind(rest)] = xla.count_programs(self.run)

    def _program(self, *args: Array) -> list[Any]:
        segment, layout = self._segment, self.layout
        if not segment.is_kept:
            compile_cache.skip()
        rest = iter(args)
        variables = {place: next(rest) for place in (*layout.given, *layout.lent)}
        values: dict[Any, Any] = {operation: next(rest) for operation in segment.owners}
        if self.alarm is not None:
            values[alarms.ALARM] = xla.jnp.int32(0)
        states = StatesByPlace({**values, **variables}, layout.places, self.alarm)
        env: dict[int, Any] = dict(segment.constants)
        env.update(zip(segment.inputs, rest, strict=True))
        lower(segment.nodes, env, states, segment.once)
        own = [states.values[operation] for operation in segment.owners]
        new = [states.values["place", p] for p in layout.written]
        if layout.given and self.alarm is not None and self.alarm.is_used:
            fine = states.values[alarms.ALARM] == 0  # else the only copy of a variable is changed
            count = len(layout.given)
            kept = [xla.jnp.where(fine, value, old) for value, old in zip(new[:count], args)]
            new = [*kept, *new[count:]]
        found = [*new, *own, *[env[s] for s in segment.outputs]]
        return found if self.alarm is None else [*found, states.values[alarms.ALARM]]
