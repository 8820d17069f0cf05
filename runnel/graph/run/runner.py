"""The ways to run what was traced have one face each: a whole program's, and a part's.

| `Runner` | what it does |
|---|---|
| `Program.interpret` | runs the eager kernels of all nodes, one by one |
| `Plan.run_compiled` | runs the stages of a program, of which segments are XLA's |
| `Direct` | calls the one XLA program of a plan that is nothing else |
| `Plan.run` | chooses between these |
| `graph/cutting/straight.py`: `Straight` | runs the kernels as straight-line Python |
| `graph/cutting/straight.py`: `Interpreter` | interprets, and straight if it does so often |
| `data/run/vectorizing.py`: `Vectorized` | the same on a stack of elements |
| `data/run/functions.py`: `UserFunction` | chooses between these and a plan |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Runner(Protocol):
    """Runs a program: the values of its outputs for those of its inputs."""

    def __call__(self, values: Sequence[Any], /) -> list[Any]: ...


class Stage(Protocol):
    """A part of a program: a node, or a segment of many. Its values are in numbered slots."""

    def run(self, env: list[Any], /) -> None:
        """Read the slots of its inputs, and fill those of its outputs."""
