"""How a graph is run: when it is interpreted, when XLA compiles it, and where it is cut then.

On the reading path after `graph/run/segment.py`, before `function/trace_type.py`.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from runnel.backend import configuration, forks
from runnel.backend.patience import COMPILED, FREE, INTERPRETED, SLOW, Patience, Trial, compiling
from runnel.core.settings import meshes, targets
from runnel.graph.compiling.ahead import Ahead
from runnel.graph.compiling.versions import Unfinished, suit
from runnel.graph.cutting import passing
from runnel.graph.cutting.direct import Direct
from runnel.graph.cutting.stages import Stages
from runnel.graph.cutting.straight import Interpreter
from runnel.graph.run.effects import replicas_of
from runnel.graph.run.lowering import NotStatic
from runnel.graph.run.nested import is_host
from runnel.graph.run.program import Node, Program, on_host
from runnel.graph.run.runner import Runner
from runnel.graph.run.segment import Segment
from runnel.graph.run.small import is_little, is_small

if TYPE_CHECKING:
    from runnel.graph.build.graph import Graph
    from runnel.graph.build.tensor import SymbolicTensor

_COMPILE_AFTER = 2  # interpreted runs at the same shapes
_MOST_SHAPES = 128  # programs of one plan, each some megabytes
_QUICK = 0.005  # seconds; runs that take less are tried both ways if they are cut


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
        at_once: bool | str = False,
        inner: bool = False,
    ) -> None:
        self.program = Program(graph, inputs, outputs)
        self.interpret: Runner = Interpreter(self.program)
        self.inner = inner  # a branch or the body of a loop: one call may run it often
        self.traced = len(graph._operations)  # with those that nothing needs
        nodes = self.program.nodes
        self.at_once = bool(replicas_of(nodes)[0]) or at_once  # True: at all shapes, waiting
        self.heavy = any(node.op.heavy for node in nodes)
        self.small, self.is_open = is_small(nodes), passing.is_open(inputs)
        self.long = passing.works_long(nodes)
        self.cuts: dict[int, str] = {}  # by node with an XLA kernel: why it is run on the host
        self._stages: Stages | None = None
        self._direct: Runner | None = None
        self.patience = Patience(_COMPILE_AFTER, usual=1.0)
        self._latest = math.inf  # seconds that the latest interpreted run took
        self._trials: dict[Any, Trial] = {}  # by shapes
        self._unfinished = Unfinished()
        self._lock = threading.Lock()

    def run(self, values: Sequence[Any]) -> list[Any]:
        """The outputs' values."""
        if forks.forked and self.inner:
            return self.interpret(values)
        if meshes.made.any and meshes.is_accelerator(targets.target(values)):
            return self.run_compiled(values)
        if self.small and not self.at_once and is_little(values, self.heavy):
            return self.interpret(values)
        shapes = tuple([v.shape for v in values])
        known = self.patience.shapes.get(shapes)
        if known is COMPILED:
            if self._unfinished.jobs:
                self._unfinished.came(shapes)
            trial = self._trials.get(shapes) if self._trials else None
            return self.run_compiled(values) if trial is None else self._try(trial, values, shapes)
        if known is INTERPRETED:
            return self.interpret(values)
        at_once = self.at_once is True or configuration.jit
        if self._pays(shapes) or at_once or passing.compiles_first(self, values):
            return self._compile(values, shapes)
        start = time.perf_counter() - compiling.seconds
        result = self.interpret(values) if self.inner else passing.interpret_passing(self, values)
        self._latest = time.perf_counter() - compiling.seconds - start
        self.patience.ran(shapes, self._latest)
        return result

    def _try(self, trial: Trial, values: Sequence[Any], shapes: Any) -> list[Any]:
        """Run a program in pieces: calling XLA for each of them may take longer than NumPy."""
        way: Runner = self.run_compiled if trial.compiles else self.interpret
        start = time.perf_counter()
        result = way(values)
        trial.note(time.perf_counter() - start)
        if trial.is_over:
            self._trials.pop(shapes, None)
            if not trial.pays and self.patience.shapes.get(shapes) is COMPILED:
                self.patience.interpreted(shapes)
        return result

    def _pays(self, shapes: Any) -> bool:
        patient = self.inner and self.patience.spent <= SLOW and not configuration.by_shape
        return self.patience.pays(shapes) and not patient

    def _compile(self, values: Sequence[Any], shapes: Any) -> list[Any]:
        """A run at shapes that are compiled from now on."""
        start = time.perf_counter()
        with Ahead(shapes, hurries=self._latest >= _QUICK and suit(self)) as ahead:
            result = self.run_compiled(values, ahead)
        if self._stages is None:  # it has been cut
            self.patience.insist(shapes)
            return result
        self.patience.compiled(shapes, time.perf_counter() - start)
        self._unfinished.add(shapes, ahead.later, many=self.patience.kept > FREE)
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
            self._unfinished.jobs.clear()

    def run_compiled(self, values: Sequence[Any], ahead: Ahead | None = None) -> list[Any]:
        """Run stage by stage; a node that turns out to need a value while compiling moves to the
        host. With `ahead`, segments are compiled before they run, and note what that took.
        """
        if forks.forked:
            raise forks.refuse("A function is to be run by XLA")
        stages = self._stages or self.stages()
        direct = self._direct
        if direct is not None and ahead is None and not meshes.made.any:
            with suppress(NotStatic):  # found when lists of another length come: see below
                return direct(values)
        env = self.program.environment(values)
        for slot in stages.host_inputs:
            env[slot] = on_host(env[slot])
        self._run_stages(stages, env, ahead)
        return [env[slot] for slot in self.program.outputs]

    def _run_stages(self, stages: Stages, env: list[Any], ahead: Ahead | None = None) -> None:
        dead, last = stages.dead, len(stages) - 1
        for number, stage in enumerate(stages):
            if not isinstance(stage, Segment):
                stage.run(env)
                _forget(dead[number], env)
                continue
            try:
                passing.run_segment(stages, number, env, ahead)
            except NotStatic as found:
                self._interpret_rest(stages[number:], env)  # which raises if the inputs are bad
                self._cut(found)
                return
            if number < last:
                _forget(dead[number], env)

    def _interpret_rest(self, stages: Sequence[Segment | Node], env: list[Any]) -> None:
        """Finish a run whose remaining stages are to be cut anew before the next one."""
        rest = {id(n) for s in stages for n in (s.nodes if isinstance(s, Segment) else [s])}
        env[:] = [value if value is None else on_host(value) for value in env]
        for node in self.program.nodes:
            if id(node) in rest:
                node.run(env)

    def _cut(self, found: NotStatic) -> None:
        with self._lock:
            self.cuts[id(found.node)] = found.why
            self._stages = None

    def stages(self) -> Stages:
        with self._lock:
            if self._stages is None:
                stages = Stages.of(self.program, self.is_host)
                self._direct = Direct.of(self.program, stages)
                self._stages = stages
            return self._stages

    def is_host(self, node: Node) -> bool:
        return id(node) in self.cuts or is_host(node.operation)
