"""A smaller program whose answers differ as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

P = TypeVar("P")


def reduced(
    program: P, smaller: Callable[[P], Iterator[P]], differs: Callable[[P], bool], tries: int = 40
) -> P:
    """The program after as many steps to smaller ones as differ too."""
    found: P | None = program
    while found is not None:
        program, found = found, None
        for candidate in smaller(program):
            tries -= 1
            if tries >= 0 and differs(candidate):
                found = candidate
                break
    return program
