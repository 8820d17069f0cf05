"""`Dataset.profile`: run a pipeline for a while and see where the time goes.

Every stage is put into an observer that counts its elements, their bytes, and the time until each
was there. The time of a stage itself is that without its inputs' on the same thread.
"""

from __future__ import annotations

import html
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from runnel.core import context
from runnel.data.node import Node, Run, Stage, State, Values, nbytes
from runnel.data.options import Options
from runnel.data.parallel import Ahead, ParallelMap

_WIDTH = 40


@dataclass
class StageProfile:
    """What one stage of a pipeline did."""

    name: str
    where: str
    depth: int
    elements: int = 0
    bytes: int = 0
    seconds: float = 0.0  # until its elements were there, with its inputs
    own: float = 0.0  # without its inputs on the same thread
    waited: float = 0.0  # for other threads
    threads: bool = False
    inputs: list[StageProfile] = field(default_factory=list)


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
        profile.threads = isinstance(stage, Ahead | ParallelMap)
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
        start = time.perf_counter()
        try:
            values: Values = function(argument)
        finally:
            profile.seconds += time.perf_counter() - start
            profile.waited = getattr(self._stage, "waited", 0.0)
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
        for stage in stages:
            inside = 0.0 if stage.threads else sum(s.seconds for s in stage.inputs)
            stage.own = max(0.0, stage.seconds - stage.waited - inside)

    @property
    def slowest(self) -> StageProfile | None:
        """The stage that holds the rest back: the one that takes most time itself."""
        return max(self.stages, key=lambda stage: stage.own, default=None)

    def __str__(self) -> str:
        return "\n".join([*self._table(), "", *self._picture()])

    def _table(self) -> Iterator[str]:
        rate = self.elements / self.seconds if self.seconds else 0.0
        yield f"{self.elements} elements in {self.seconds:.2f} s, {rate:,.0f} per second"
        yield ""
        head = f"{'stage':<44}{'elements':>10}{'time ms':>10}{'own ms':>10}{'µs each':>10}"
        yield head + f"{'wait ms':>10}{'MB':>9}"
        for stage in self.stages:
            name = f"{'  ' * min(stage.depth, 8)}{stage.name}"[:43]
            each = stage.own / stage.elements * 1e6 if stage.elements else 0.0
            yield (
                f"{name:<44}{stage.elements:>10}{stage.seconds * 1e3:>10.1f}"
                f"{stage.own * 1e3:>10.1f}{each:>10.2f}{stage.waited * 1e3:>10.1f}"
                f"{stage.bytes / 1e6:>9.2f}"
            )

    def _picture(self) -> Iterator[str]:
        slowest = self.slowest
        if slowest is None or not slowest.own:
            return
        total = sum(stage.own for stage in self.stages)
        for stage in self.stages:
            bar = "█" * round(stage.own / slowest.own * _WIDTH)
            mark = "  ← holds the rest back" if stage is slowest else ""
            yield f"{stage.name[:30]:<31}{bar} {stage.own / total:.0%}{mark}"
        yield ""
        yield f"Slowest: {slowest.name}, made at {slowest.where}"

    def save(self, path: str) -> None:
        """Write the picture as an SVG file: a bar per stage, as long as its own time."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg())

    def svg(self) -> str:
        """The picture as the text of an SVG file."""
        slowest = self.slowest
        longest = slowest.own if slowest is not None and slowest.own else 1.0
        rows = []
        for i, stage in enumerate(self.stages):
            y, width = 30 + 26 * i, max(1.0, stage.own / longest * 420)
            color = "#c0392b" if stage is slowest else "#2e86c1"
            label = html.escape(f"{'  ' * stage.depth}{stage.name}")
            rows.append(
                f'<text x="8" y="{y + 14}" xml:space="preserve">{label}</text>'
                f'<rect x="260" y="{y}" width="{width:.1f}" height="18" fill="{color}"/>'
                f'<text x="{266 + width:.1f}" y="{y + 14}">{stage.own * 1e3:.1f} ms, '
                f"{stage.elements} elements</text>"
            )
        height = 40 + 26 * len(self.stages)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="{height}" '
            'font-family="sans-serif" font-size="13">'
            f'<text x="8" y="18" font-weight="bold">{self.elements} elements in '
            f"{self.seconds:.2f} s</text>{''.join(rows)}</svg>\n"
        )


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
    return Profile(list(run.stages.values()), took, count)
