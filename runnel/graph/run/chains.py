"""Long chains of cheap operations, of which XLA shall compute some links once (`stored`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runnel.graph.run.program import Node

_LONGEST = 8  # cheap operations that may be computed again for an output


def links_to_store(nodes: Sequence[Node], outputs: Collection[int]) -> frozenset[int]:
    """The outputs in long chains of cheap operations that XLA should compute once only.

    It makes one kernel for each output of a program, with all cheap operations that lead there: for
    a chain in which every value is an output, as the gradient asks for, that is quadratic, in the
    time to compile and to run.
    """
    used = {slot for node in nodes for slot in node.ins}
    wanted = used.intersection(outputs)
    lengths: dict[int, int] = {}
    links = []
    for node in nodes:
        cost = node.op.traits.recompute
        if not cost:
            continue
        (out,) = node.outs
        length = cost + max([lengths.get(s, 0) for s in node.ins], default=0)
        if length >= _LONGEST and out in wanted and node.operation.outputs[0].dtype.is_floating:
            links.append(out)
            length = 0
        lengths[out] = length
    return frozenset(links)
