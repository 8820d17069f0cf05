"""A smaller program whose answers differ as well."""

from __future__ import annotations

from collections.abc import Callable

from tests.compare.pipelines import Program


def reduced(program: Program, differs: Callable[[Program], bool]) -> Program:
    """The program without the stages that the difference does not need."""
    place = 0
    while place < len(program["stages"]):
        stages = program["stages"]
        shorter = {**program, "stages": [*stages[:place], *stages[place + 1 :]]}
        if differs(shorter):
            program = shorter
        else:
            place += 1
    return program
