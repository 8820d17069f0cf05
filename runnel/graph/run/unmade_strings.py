"""Splitting texts in a graph without making their words, where nobody reads them.

`TextVectorization` takes 1.4 times as long without it, of 1,024 lines 2.2 times, where strings
are still dictionary-encoded ("unmade" in `benchmarks/mechanisms.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runnel.graph.run.program import Program


def leave_unmade(program: Program) -> None:
    """Have the ops that split give words unmade, if all who get them are such ops."""
    readers: dict[int, list[bool]] = {}
    for node in program.nodes:
        for number, slot in enumerate(node.ins):
            readers.setdefault(slot, []).append(number in node.op.traits.takes_unmade)
    shown = set(program.outputs)
    for node in program.nodes:
        if node.op.unmade is not None:
            words = node.outs[1]
            if words not in shown and all(readers.get(words, [])):
                node.op = node.op.unmade
