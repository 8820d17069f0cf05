"""A loop as one loop of XLA.

XLA's loops carry values whose shapes do not change. What an iteration computes for the gradient of
the loop, or for a sum that is made after it, goes to piles: arrays with a row for each iteration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.backend import jax as xla
from runnel.backend.meanwhile import first_version
from runnel.core.tensor.tensor_list import Copies, Stacked, TensorList, as_list, depth_of
from runnel.graph.control.counting import Counters
from runnel.graph.control.invariants import (
    Body,
    Emptied,
    SumOfProducts,
    SumOfRows,
    emptied_lists,
    moving_slots,
    padded,
    sums_of_products,
    sums_of_rows,
)
from runnel.graph.run.lowering import FAILURES, NotStatic, States, is_known, lower
from runnel.graph.run.nested import written_inputs
from runnel.graph.run.program import Node, Program, program_of
from runnel.kernels.arrays import element, with_element

Carry = tuple[list[Any], list[Any], list[Any], Any]  # varying, variables, states, iterations done


class _Loop:
    """What lowering a loop needs: which inputs vary, which variables and states are threaded."""

    def __init__(self, node: Node, values: list[Any], states: States) -> None:
        self.node, self.values, self.outer = node, values, states
        self.test = program_of(node.attrs["cond"])
        self.step = program_of(node.attrs["body"], node.attrs.get("stacks") or ())
        inputs, outputs = node.attrs["body"].inputs, node.attrs["body"].outputs
        varying = [i for i, (a, b) in enumerate(zip(inputs, outputs, strict=True)) if a is not b]
        self.variables = [i for i, v in enumerate(values) if v is None]
        self.changed = written_inputs(node.operation)
        self.kept = states.threaded(node.operation)
        self.bound = self._bound()
        self.counters = Counters(self.step, self.test, varying, values, self.bound)
        counted = self.counters.ranges()
        self.body = Body(self.step)
        self.numbers = self._numbers()
        listed = {slot: (x.min(), x.max()) for slot, (x, _) in self.numbers.items() if x.size}
        self.ranges = {**counted, **listed}
        self.saved = self.body.outputs[len(values) :]
        self.moving = self._moving(varying)
        self.sums: list[SumOfProducts] = []
        self.row_sums: list[SumOfRows] = []
        self.emptied: list[Emptied] = []
        self.varying = self._put_off([i for i in varying if i not in self.counters.steps])
        self.lists = self._lists()
        self.piled, self.zeros = self._piled()
        self.steady = [s for s in self.saved if s not in self.moving]
        self.first = self.body.nodes_for(self.steady)  # before the loop
        self.watched = states.alarm is not None and states.alarm.watches
        if not self.watched:
            carried = [self.body.outputs[i] for i in self.varying]
            self.body.drop_all_but([*carried, *self.piled])
        self.depths: dict[int, int] = {}  # of lists among the piled values
        self.once: dict[int, Any] = {}  # values that are computed before the loop
        self.fixed: dict[int, Any] = {}  # saved values that are known, as shapes are

    def _bound(self) -> int | None:
        """How many iterations there are at most, if that is known."""
        room = self.node.attrs.get("room")
        if room is not None:
            return int(room.bound)
        limit = self.node.attrs.get("limit", -1)
        bound = self.values[limit] if limit >= 0 else None
        known = isinstance(bound, np.ndarray | np.generic) and int(bound) >= 0
        return int(bound) if known else None  # type: ignore[arg-type]

    def _moving(self, varying: Sequence[int]) -> set[int]:
        changing = [self.step.inputs[i] for i in (*varying, *self.changed)]
        pairs = zip(self.step.inputs, self.values, strict=True)
        return moving_slots(self.body, changing, {s for s, v in pairs if isinstance(v, Copies)})

    def _numbers(self) -> dict[int, tuple[Any, int]]:
        """The slots of elements of lists of known numbers: the list, the slot of the index."""
        found = {}
        for slot, (place, index) in self.body.items_read().items():
            held = getattr(self.values[place], "held", None)
            if isinstance(held, np.ndarray) and held.ndim == 1 and held.dtype.kind == "i":
                found[slot] = held, index
        return found

    def _put_off(self, varying: Sequence[int]) -> list[int]:
        """Find what can be done after the loop, and the inputs that it has to carry."""
        if self.bound is None:
            return list(varying)
        tested = {slot for node in self.test.nodes for slot in node.ins}.union(self.test.outputs)
        free = [i for i in varying if self.test.inputs[i] not in tested]
        shapes = {i: getattr(self.values[i], "shape", ()) for i in free}
        long = [i for i, shape in shapes.items() if shape and shape[0] >= self.bound]
        lists = [i for i in free if type(self.values[i]) is Stacked]
        rows = self._row_slots()
        self.sums = sums_of_products(self.body, free)
        self.row_sums = sums_of_rows(self.body, long, rows)
        self.emptied = emptied_lists(self.body, lists, rows)
        later = [s.place for s in self.sums] + [s.place for s in self.row_sums]
        later += [e.place for e in self.emptied]
        return [i for i in varying if i not in later]

    @property
    def backwards(self) -> bool:
        """Whether the last row of a pile belongs to the first iteration.

        So it is in the gradient of a loop, which reads piles of that loop from their ends.
        """
        return bool(self.bound) and self.counters.down is not None and not self.saved

    def row(self, count: Any) -> Any:
        """The row of an iteration in all piles."""
        return self.counters.value(self.counters.down, count) if self.backwards else count  # type: ignore[arg-type]

    def _row_slots(self) -> set[int]:
        """The slots that always hold the row of an iteration."""
        places = [self.counters.down] if self.backwards else self.counters.from_zero()
        slots = {self.step.inputs[place] for place in places}  # type: ignore[index]
        for slot, (numbers, index) in self.numbers.items():
            if index in slots and np.array_equal(numbers, np.arange(len(numbers))):
                slots.add(slot)
        return slots

    def _lists(self) -> dict[int, Any]:
        """The factors of sums that lists have in the order of the piles, with these.

        One of each two at most: the other one is zero where there was no iteration.
        """
        if not self.backwards:
            return {}
        index = self.step.inputs[self.counters.down]  # type: ignore[index]
        read = {s: self.values[i] for s, (i, row) in self.body.items_read().items() if row == index}
        fitting = {s for s, x in read.items() if type(x) is Stacked and len(x) == self.bound}
        found = fitting.intersection(slot for s in self.sums for slot in (s.left, s.right))
        for s in self.sums:
            if s.left in found:
                found.discard(s.right)
        return {slot: read[slot].held for slot in found}

    def _piled(self) -> tuple[list[int], set[int]]:
        """The slots that are piled up, and those that are zero where there was no iteration."""
        factors = [s for each in self.sums for s in (each.left, each.right) if s not in self.lists]
        rows = [s.value for s in self.row_sums]
        zeros = {s.left if s.right in self.lists else s.right for s in self.sums}
        saved = [s for s in self.saved if s in self.moving and s not in self.counters.slots]
        return list(dict.fromkeys([*saved, *factors, *rows])), zeros.union(rows)

    def start(self) -> Carry:
        varying = [_carried(self.values[i]) for i in self.varying]
        changed = [xla.jnp.asarray(self.outer.values[self.node.ins[i]]) for i in self.changed]
        kept = [self.outer.values[k] for k in self.kept]
        none = xla.jnp.zeros((), np.int32)  # not NumPy's: a counter is never known while compiling
        carry = varying, changed, kept, none
        env, _ = self.run(self.step, carry, self.first)
        self.once = {slot: _fixed(env[slot]) for slot in self.steady}
        if any(isinstance(v, TensorList) for v in varying):
            varying = self._fix_lists(carry)
        return varying, changed, kept, none

    def _fix_lists(self, carry: Carry) -> list[Any]:
        """Lists whose elements have no known shape yet, as arrays of the shape that an iteration
        writes.
        """

        def once() -> list[Any]:
            env, _ = self.run(self.step, carry, self.body.nodes)
            return [env[self.body.outputs[i]] for i in self.varying]

        specs = xla.jax.eval_shape(once)
        return [
            Stacked(xla.jnp.zeros(spec.buffer.shape, spec.buffer.dtype))
            if isinstance(v, TensorList)
            else v
            for v, spec in zip(carry[0], specs, strict=True)
        ]

    def enter(self, program: Program, carry: Carry) -> tuple[dict[int, Any], States]:
        """The values and states with which an iteration begins, for one of the two graphs."""
        varying, changed, kept, count = carry
        values = list(self.values)
        for i, value in zip(self.varying, varying, strict=True):
            values[i] = value
        for place in self.counters.steps:
            values[place] = self.counters.value(place, count)
        held = {i: self.outer.values[self.node.ins[i]] for i in self.variables}
        held.update(zip(self.changed, changed, strict=True))
        inner: dict[Any, Any] = {program.inputs[i]: value for i, value in held.items()}
        inner.update(zip(self.kept, kept, strict=True))
        states = self.outer.inside(inner)
        env = {**program.constants, **dict(zip(program.inputs, values, strict=True))}
        if program is self.step:
            states.ranges = self.ranges
            env.update(self.once)
        return env, states

    def run(
        self, program: Program, carry: Carry, nodes: Sequence[Node]
    ) -> tuple[dict[int, Any], States]:
        """Lower some nodes of one of the two graphs on the values of an iteration."""
        env, states = self.enter(program, carry)
        lower(nodes, env, states)
        return env, states

    def condition(self, carry: Any) -> Any:
        varying, changed, kept, _, count = carry
        env, _ = self.run(self.test, (varying, changed, kept, count), self.test.nodes)
        answer = xla.jnp.asarray(env[self.test.outputs[0]])
        return answer.reshape(()) != xla.jnp.zeros((), answer.dtype)

    def iterate(self, carry: Any) -> Any:
        varying, changed, kept, piles, count = carry
        env, states = self.enter(self.step, (varying, changed, kept, count))
        held, row = dict(zip(self.piled, piles, strict=True)), self.row(count)
        for slot in held.keys() & env.keys():
            held[slot] = _written(held[slot], env[slot], row)
        for node in self.body.nodes:
            lower([node], env, states)
            for slot in held.keys() & set(node.outs):
                held[slot] = _written(held[slot], env[slot], row)
                if node.op.traits.recompute == 0:
                    env[slot] = _row_of(held[slot], row)
        new = [_carried(env[self.body.outputs[i]]) for i in self.varying]
        written = [states.values[self.step.inputs[i]] for i in self.changed]
        return new, written, [states.values[k] for k in self.kept], list(held.values()), count + 1

    def empty_piles(self, start: Carry) -> list[Any]:
        """Memory for the piles; only possible when the number of iterations has a known limit."""
        if not self.piled and not self.saved:
            return []
        if self.bound is None:
            why = "only the run tells how many iterations it keeps values of for its gradient"
            raise NotStatic(self.node, why)

        factors = {slot for s in self.sums for slot in (s.left, s.right)}
        saved = set(self.piled).intersection(self.saved).difference(factors, self.zeros)

        def piled(*carry: Any) -> list[Any]:
            env, _ = self.run(self.step, carry, self.body.nodes)
            self.fixed = {s: env[s] for s in saved if is_known(env[s])}
            self.piled = [slot for slot in self.piled if slot not in self.fixed]
            self.depths = {slot: depth_of(env[slot]) for slot in self.piled}
            return [_held(env[slot]) for slot in self.piled]

        specs = xla.jax.eval_shape(piled, *start)
        return [
            xla.jnp.full((padded(self.bound), *s.shape), -0.0 if slot in self.zeros else n, s.dtype)
            for n, (slot, s) in enumerate(zip(self.piled, specs, strict=True), 1)
        ]  # of different numbers: several alike would be one that is copied, at twice the cost

    def stacked(self, piles: Sequence[Any]) -> list[Any]:
        """The values that are wanted of all iterations."""
        found: dict[int, Any] = {
            slot: as_list(pile[: self.bound], self.depths[slot] + 1)
            for slot, pile in zip(self.piled, piles, strict=True)
        }
        for slot in self.saved:
            if slot in self.fixed or slot not in self.moving:
                found[slot] = Copies({**self.once, **self.fixed}[slot], self.bound or 0)
            elif slot in self.counters.slots:
                found[slot] = self.counters.stacked(self.counters.slots[slot])
        return [found[slot] for slot in self.saved]

    def later(self, piles: Sequence[Any], count: Any) -> dict[int, Any]:
        """The results that the loop does not carry, by their places."""
        held = dict(zip(self.piled, piles, strict=True))
        held.update({slot: _padded(x, padded(len(x))) for slot, x in self.lists.items()})
        found = {place: self.counters.value(place, count) for place in self.counters.steps}
        for s in self.sums:
            found[s.place] = s.total(self.values[s.place], held[s.left], held[s.right], count)
        for r in self.row_sums:
            found[r.place] = r.total(self.values[r.place], held[r.value][: self.bound])
        for e in self.emptied:
            found[e.place] = e.rest(self.values[e.place], count)
        return found


def _fixed(value: Any) -> Any:
    """A value as it is before the loop: what is known stays so."""
    return value if is_known(value) else xla.jnp.asarray(value)


def _written(pile: Any, value: Any, row: Any) -> Any:
    """A pile with a value in one of its rows."""
    return with_element(pile, row, xla.jnp.asarray(_held(value), pile.dtype))


def _row_of(pile: Any, row: Any) -> Any:
    """What was just written to a pile, to be read from there.

    For a value that it never computes twice XLA makes a kernel, and then one that copies it to the
    pile. If only the pile needs it there is one kernel, which writes to the pile.
    """
    return element(pile, row)


def _padded(x: Any, length: int) -> Any:
    rest = [(0, 0)] * (x.ndim - 1)
    return x if len(x) == length else xla.jnp.pad(x, [(0, length - len(x)), *rest])


def _held(value: Any) -> Any:
    """The array that a pile keeps of a value."""
    return value.buffer if isinstance(value, Stacked) else value


def _carried(value: Any) -> Any:
    """A value as a loop of XLA carries it."""
    if isinstance(value, TensorList):
        written = any(i is not None for i in value.items)
        known = value.dims is not None and None not in value.dims
        return value.stacked(value.dims) if written or known else value
    return value if isinstance(value, Stacked) else xla.jnp.asarray(value)


def lower_loop(node: Node, values: list[Any], states: States) -> Any:
    """The results of a loop that is part of an XLA program."""
    room = node.attrs.get("room")
    if room is not None:
        values = room.fill(values)
    loop = _Loop(node, values, states)
    try:
        varying, changed, kept, count = start = loop.start()
        carry = (varying, changed, kept, loop.empty_piles(start), count)
        first_version.note_loop(loop.bound)
        varying, changed, kept, piles, count = xla.lax.while_loop(
            loop.condition, loop.iterate, carry
        )
    except FAILURES as error:
        raise NotStatic.inside(node, error) from error
    for i, value in zip(loop.changed, changed, strict=True):
        states.write(node.ins[i], value)
    for key, value in zip(loop.kept, kept, strict=True):
        states.write(key, value)
    outputs = list(values)
    for i, value in (*zip(loop.varying, varying, strict=True), *loop.later(piles, count).items()):
        outputs[i] = value
    if node.attrs.get("stacks") is None:
        return [outputs]
    return [[*outputs, *loop.stacked(piles), count]]
