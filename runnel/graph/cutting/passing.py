"""Runs at shapes that may not come again: of graphs, and of segments behind host operations."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from runnel.backend import memory
from runnel.backend.blas import one_thread
from runnel.backend.patience import COMPILED, Patience, compiling
from runnel.core.op.context import state
from runnel.graph.run.effects import graphs_in
from runnel.graph.run.program import Node, Program, on_host
from runnel.graph.run.segment import Segment

if TYPE_CHECKING:
    from runnel.graph.build.tensor import SymbolicTensor
    from runnel.graph.compiling.ahead import Ahead
    from runnel.graph.run.plan import Plan

_FEW_SHAPES = 1  # that are compiled when they first come; that of the last batch is another one


def compiles_first(plan: Plan, values: Sequence[Any]) -> bool:
    """Whether shapes had better be compiled when they first come: only the first ones, and not
    those of graphs that say themselves that there will be others.
    """
    if plan.patience.met >= _FEW_SHAPES or plan.is_open:
        return False
    if plan.at_once or not plan.heavy:
        return bool(plan.at_once)
    for v in values:  # noqa: SIM110 (`any` takes as long as the smallest kernels)
        if getattr(v, "elements", v.size) > memory.LARGE:
            return True
    return False


@contextmanager
def passing() -> Iterator[None]:
    """Operations run one by one inside, at shapes that are compiled as a whole if they return.

    So nothing is compiled for an operation by itself that has not earned it. Products are done by
    one thread: those of NumPy wait for each other, on a busy machine three times as long as they
    work.
    """
    outer, state.passing = state.passing, True
    try:
        with one_thread():
            yield
    finally:
        state.passing = outer


def interpret_passing(plan: Plan, values: Sequence[Any]) -> list[Any]:
    """A run of operations one by one."""
    if not plan.long:
        return plan.interpret(values)
    with passing():
        return plan.interpret(values)


def works_long(nodes: Sequence[Node]) -> bool:
    """Whether there may be products, convolutions and their like, also in loops and branches."""
    return any(node.op.heavy or any(graphs_in(node.operation)) for node in nodes)


class Varying:
    """The shapes that a segment gets from the host, as words that were split have any number.

    The shapes of a plan's inputs do not tell them. The first are compiled, and others as those of
    plans are.
    """

    def __init__(self, segment: Segment, slots: Sequence[int]) -> None:
        self._segment, self._slots = segment, slots
        self._patience = Patience(2, usual=1.0)

    @classmethod
    def of(cls, segment: Segment, program: Program) -> Varying | None:
        """For a segment with inputs of unknown shape that other stages make."""
        pairs = [
            (slot, tensor.shape)
            for node in segment.nodes
            for slot, tensor in zip(node.ins, node.operation.inputs, strict=False)
        ]
        made = set(segment.inputs).difference(program.inputs)
        slots = {s for s, shape in pairs if s in made and not shape.is_fully_defined()}
        return cls(segment, sorted(slots)) if slots else None

    def run(self, compiled: Callable[[], None], env: list[Any]) -> None:
        """Run the segment, by `compiled` or operation by operation."""
        patience, shapes = self._patience, tuple([env[slot].shape for slot in self._slots])
        if patience.shapes.get(shapes) is COMPILED:
            compiled()
            return
        start = time.perf_counter() - compiling.seconds
        if patience.met < _FEW_SHAPES or patience.pays(shapes):
            compiled()
            patience.compiled(shapes, time.perf_counter() - compiling.seconds - start)
        else:
            self._interpret(env)
            patience.ran(shapes, time.perf_counter() - compiling.seconds - start)

    def _interpret(self, env: list[Any]) -> None:
        nodes = self._segment.nodes
        for slot in {slot for node in nodes for slot in node.ins}:
            env[slot] = None if env[slot] is None else on_host(env[slot])
        with passing():
            for node in nodes:
                node.run(env)
        for slot in {slot for node in nodes for slot in node.outs}.difference(
            self._segment.outputs
        ):
            env[slot] = None


def run_segment(
    stages: Sequence[Segment | Node], number: int, env: list[Any], ahead: Ahead | None
) -> None:
    """Run one of the segments of a plan; with `ahead`, compile it before."""
    segment = stages[number]
    assert isinstance(segment, Segment)

    def compiled() -> None:
        if ahead is None:
            segment.run(env)
        else:
            ahead.run(stages, number, env)

    if segment.varying is None:
        compiled()
    else:
        segment.varying.run(compiled, env)


def is_open(inputs: Sequence[SymbolicTensor]) -> bool:
    """Whether an input may have other dimensions than the first that differ from call to call."""
    shapes = [tensor.shape._dims for tensor in inputs]
    return any(dims is None or None in dims[1:] for dims in shapes)
