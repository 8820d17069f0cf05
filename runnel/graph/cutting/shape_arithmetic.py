"""Shape arithmetic goes to the segments that need its results while they are compiled.

In a segment the shape of a tensor is known, and what is computed from it. In the next one it would
be an input like any other: a convolution's gradient, which must know it, would have to run on the
host. So these operations, which compute nothing in a compiled program, are done in each segment
that needs them. They take along the tensors whose shapes they read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runnel.graph.run.program import Node, Program

_LONGEST = 64  # operations behind one input


def bring_shapes(program: Program, groups: list[list[Node]], hosts: Collection[int]) -> None:
    """Put before the nodes of each segment what tells them shapes."""
    if sum(id(nodes[0]) not in hosts for nodes in groups) < 2:
        return
    makers = {slot: node for node in program.nodes for slot in node.outs}
    place = {id(node): number for number, node in enumerate(program.nodes)}
    for nodes in groups:
        if id(nodes[0]) in hosts:
            continue
        here = {id(node) for node in nodes}
        wanted: dict[int, Node] = {}
        for node in nodes:
            for index in node.static:
                found = _behind(node.ins[index], makers, program.constants, here, hosts)
                wanted.update((id(n), n) for n in found)
        if wanted:
            nodes[:0] = sorted(wanted.values(), key=lambda node: place[id(node)])


def _behind(
    slot: int,
    makers: Mapping[int, Node],
    constants: Collection[int],
    here: Collection[int],
    hosts: Collection[int],
) -> list[Node]:
    """The operations outside of a segment that compute a value from shapes; none if it depends on
    anything else.
    """
    found: dict[int, Node] = {}
    pending = [slot]
    while pending:
        slot = pending.pop()
        node = makers.get(slot)
        if slot in constants or (node is not None and (id(node) in here or id(node) in found)):
            continue
        if node is None or id(node) in hosts or not _is_arithmetic(node) or len(found) >= _LONGEST:
            return []
        found[id(node)] = node
        if node.op.traits.reads is None:
            pending += node.ins
    return list(found.values())


def _is_arithmetic(node: Node) -> bool:
    op = node.op
    return not (op.stateful or op.state or op.lower or op.xla or op.host or op.traits.effects)
