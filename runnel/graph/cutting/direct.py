"""The short way through a plan that is not cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.graph.run.layout import Places
from runnel.graph.run.program import Node, Program
from runnel.graph.run.segment import Segment, compact


class Direct:
    """The short way through a plan that is one segment without state: inputs in, outputs out.

    Small functions take 1.15 times as long without it ("direct" in `benchmarks/mechanisms.py`).
    """

    def __init__(self, segment: Segment, program: Program) -> None:
        self._program = segment.compiled(Places())
        self._inputs = [program.inputs.index(slot) for slot in segment.inputs]
        self._outputs = [segment.outputs.index(slot) for slot in program.outputs]

    @classmethod
    def of(cls, program: Program, stages: Sequence[Segment | Node]) -> Direct | None:
        """The short way, if there is one."""
        if len(stages) != 1 or not isinstance(stages[0], Segment):
            return None
        segment = stages[0]
        if segment.resources or segment.owners or segment.guarded or segment.watched:
            return None
        if not set(program.outputs) <= set(segment.outputs):
            return None
        return cls(segment, program)

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        results = self._program.run(*[compact(values[place]) for place in self._inputs])
        return [results[place] for place in self._outputs]
