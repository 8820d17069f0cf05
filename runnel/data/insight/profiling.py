"""`Dataset.profile`: run a pipeline for a while and see where the time goes.

Every stage is put into an observer that counts its elements, their bytes, and the time until each
was there. The time of a stage itself is that without its inputs' on the same thread. Threads work
side by side, so what holds a pipeline back is the busiest stage of the busiest thread.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from runnel.core.op import context
from runnel.data.dataset.options import Options
from runnel.data.insight.profile_report import page, picture, table, to_svg
from runnel.data.nodes.node import Node, Run, Stage, State, Values, nbytes


@dataclass
class StageProfile:
    """What one stage of a pipeline did."""

    name: str
    where: str
    depth: int
    elements: int = 0
    bytes: int = 0
    seconds: float = 0.0  # until its elements were there, with its inputs
    own: float = 0.0  # without its inputs, and without waiting
    waited: float = 0.0  # for other threads
    thread: int = 0  # 0 is the consumer's
    inputs: list[StageProfile] = field(default_factory=list)
    _computed: float = 0.0  # seconds of the consumer's processor; only where `_apart` is set
    _apart: str | None = None
    _stages: list[Any] = field(default_factory=list)
    _over: bool = False  # whether what threads still do no longer counts


class _Observing(Run):
    """A run that puts every stage into an observer."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self.stages: dict[tuple[str, str, int], StageProfile] = {}
        self._parents: list[StageProfile] = []

    def build(self, node: Node) -> Any:
        depth = len(self._parents)
        key = node.title, node.where, depth
        profile = self.stages.get(key)
        if profile is None:
            profile = self.stages[key] = StageProfile(node.title, node.where, depth)
            if self._parents:
                self._parents[-1].inputs.append(profile)
        self._parents.append(profile)
        try:
            stage = node.make(self)
        finally:
            self._parents.pop()
        if isinstance(stage, _Observed):
            return stage  # the node only passes its input on
        return _Observed(stage, profile)


class _Observed(Stage):
    """A stage with a clock."""

    def __init__(self, stage: Any, profile: StageProfile) -> None:
        self._stage = stage
        self._profile = profile
        self.blocks = stage.blocks
        profile._apart = stage.apart
        if stage.apart is not None:
            profile._stages.append(stage)
        if hasattr(stage, "positions"):
            self.positions, self.at, self.gather = stage.positions, self._at, self._gather

    def __next__(self) -> Values:
        return self._timed(1, next, self._stage)

    def block(self, count: int) -> Values:
        return self._timed(0, self._stage.block, count)

    def _at(self, position: int) -> Values:
        return self._timed(1, self._stage.at, position)

    def _gather(self, positions: Any) -> Values:
        return self._timed(0, self._stage.gather, positions)

    def _timed(self, elements: int, function: Any, argument: Any) -> Values:
        profile = self._profile
        if profile._over:
            return function(argument)  # type: ignore[no-any-return]
        computed = time.thread_time() if profile._apart else 0.0
        start = time.perf_counter()
        try:
            values: Values = function(argument)
        finally:
            profile.seconds += time.perf_counter() - start
            if profile._apart:
                profile._computed += time.thread_time() - computed
        profile.elements += elements or len(values[0])
        profile.bytes += nbytes(values)
        return values

    def save(self) -> State:
        return self._stage.save()

    def restore(self, state: State) -> None:
        self._stage.restore(state)


class Profile:
    """The result of `Dataset.profile`: `stages`, last one first; `str` of it is the table."""

    def __init__(self, stages: list[StageProfile], seconds: float, elements: int) -> None:
        self.stages = stages
        self.seconds = seconds
        self.elements = elements
        self._threads = 1
        if stages:
            self._place(stages[0], 0)
        for stage in stages:
            _settle(stage)

    def _place(self, stage: StageProfile, thread: int) -> None:
        """Say on which thread a stage and its inputs run."""
        new = thread
        if stage._apart is not None:
            new, self._threads = self._threads, self._threads + 1
        stage.thread = new if stage._apart == "all" else thread
        for source in stage.inputs:
            self._place(source, new)

    @property
    def slowest(self) -> StageProfile | None:
        """The stage that holds the rest back: the busiest one of the busiest thread."""
        busy = [0.0] * self._threads
        for stage in self.stages:
            busy[stage.thread] += stage.own
        last = busy.index(max(busy))
        there = [stage for stage in self.stages if stage.thread == last]
        return max(there, key=lambda stage: stage.own, default=None)

    def __str__(self) -> str:
        return "\n".join([*table(self), "", *picture(self)])

    def __repr__(self) -> str:
        rate = f"{self.elements / self.seconds:,.0f} per second" if self.seconds else "no time"
        slowest = f"; slowest: {self.slowest.name}" if self.slowest is not None else ""
        count = f"{self.elements} elements, {len(self.stages)} stages"
        return f"<Profile: {count}, {rate}{slowest}; print it for more>"

    def _repr_html_(self) -> str:
        return page(self)

    def save(self, path: str) -> None:
        """Write the picture as an SVG file: a bar per stage, as long as its own time."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg())

    def svg(self) -> str:
        """The picture as the text of an SVG file."""
        return to_svg(self)


def _settle(stage: StageProfile) -> None:
    """Divide the time of a stage into its own and waiting."""
    if stage._apart == "all":  # a pool: its functions run beside the consumer, which waits
        stage.own = sum(part.busy for part in stage._stages)
        stage.waited = max(0.0, stage.seconds - stage._computed)
    elif stage._apart == "inputs":  # it only hands over
        stage.own = min(stage.seconds, stage._computed)
        stage.waited = stage.seconds - stage.own
    else:
        inside = sum(source.seconds for source in stage.inputs if source.thread == stage.thread)
        inside += sum(source.seconds for source in stage.inputs if source._apart == "all")
        stage.own = max(0.0, stage.seconds - inside)


def profile(node: Node, seconds: float, elements: int | None) -> Profile:
    """Run the pipeline of a node until the time, the wanted elements, or its end is reached."""
    run = _Observing(node.options())
    with context.building(None), context.unrecorded():
        stage = run.build(node)
        start = time.perf_counter()
        count = 0
        while time.perf_counter() - start < seconds and count != elements:
            if next(stage, None) is None:
                break
            count += 1
        took = time.perf_counter() - start
    for found in run.stages.values():
        found._over = True
    return Profile(list(run.stages.values()), took, count)
