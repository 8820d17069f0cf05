"""The stages of a program: segments that XLA compiles, with host operations between them.

An operation gets a stage. Even stages are segments, odd ones host operations run one by one. A
stage is the least that comes after the stages of its inputs and of earlier operations on the same
state, so that a graph without host operations is one segment: one XLA call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from runnel.graph.cutting.passing import Varying
from runnel.graph.cutting.shape_arithmetic import bring_shapes
from runnel.graph.run.effects import runs_python
from runnel.graph.run.nested import is_host, variable_slots
from runnel.graph.run.program import Node, Program
from runnel.graph.run.segment import Segment

_MOST_NODES, _MOST_INPUTS = 500, 256  # of one segment


class Stages(list["Segment | Node"]):
    """The stages in order.

    `dead` are, for each, the slots that nobody reads after it; `host_inputs` are the inputs of the
    program that host operations read.
    """

    def __init__(
        self, stages: Sequence[Segment | Node], dead: list[list[int]], host_inputs: set[int]
    ) -> None:
        super().__init__(stages)
        self.dead, self.host_inputs = dead, host_inputs

    @classmethod
    def of(cls, program: Program, on_host: Callable[[Node], bool]) -> Stages:
        """The stages of a program, where the nodes that must be are `on_host`."""
        hosts = {id(node) for node in program.nodes if on_host(node)}
        groups = [
            piece
            for number, nodes in enumerate(_buckets(program, hosts))
            for piece in ([[n] for n in nodes] if number % 2 else _pieces(nodes, program.constants))
        ]
        bring_shapes(program, groups, hosts)
        crossing, dead = _crossing(groups, set(program.outputs))
        read = {slot for node in program.nodes if id(node) in hosts for slot in node.ins}
        stages = [
            nodes[0]
            if id(nodes[0]) in hosts
            else Segment(nodes, program.constants, crossing[number], read)
            for number, nodes in enumerate(groups)
        ]
        for stage in stages:
            if hosts and isinstance(stage, Segment):
                stage.varying = Varying.of(stage, program)
        return cls(stages, dead, read.intersection(program.inputs))


def _buckets(program: Program, hosts: set[int]) -> list[list[Node]]:
    """The nodes of each stage, of which some may be empty."""
    buckets: dict[int, list[Node]] = {}
    stage_of_slot: dict[int, int] = {}
    last_effect: dict[Any, int] = {}
    variables = {slot for node in program.nodes for slot in variable_slots(node)}
    for node in program.nodes:
        least = max([stage_of_slot.get(slot, 0) for slot in node.ins], default=0)
        keys = _state_keys(node, variables)
        least = max([least, *[last_effect.get(key, 0) for key in keys]])
        stage = least + (least % 2 != (id(node) in hosts))
        buckets.setdefault(stage, []).append(node)
        stage_of_slot.update((slot, stage) for slot in node.outs)
        last_effect.update((key, stage) for key in keys)
    return [buckets.get(number, []) for number in range(max(buckets, default=-1) + 1)]


def _state_keys(node: Node, variables: set[int]) -> list[Any]:
    """What must be used in program order: a variable, or the outside world.

    A Python function may read and write all the `variables` of the program.
    """
    keys: list[Any] = list(variables if runs_python(node.operation) else variable_slots(node))
    compiled = node.op.lower is not None and not is_host(node.operation)
    if node.has_effect and node.op.state is None and not compiled:
        keys.append("effects")
    return keys


def _pieces(nodes: list[Node], constants: Collection[int]) -> list[list[Node]]:
    """A run of nodes in pieces that XLA compiles in a time linear in their number."""
    if not nodes:
        return []
    pieces: list[list[Node]] = [[]]
    known = set(constants)
    made, read = known.copy(), set[int]()
    for node in nodes:
        if len(pieces[-1]) >= _MOST_NODES or len(read) >= _MOST_INPUTS:
            pieces.append([])
            made, read = known.copy(), set()
        pieces[-1].append(node)
        made.update(node.outs)
        read.update(slot for slot in node.ins if slot not in made)
    return pieces


def _crossing(
    groups: Sequence[list[Node]], outputs: set[int]
) -> tuple[list[set[int]], list[list[int]]]:
    """For each stage, which of its values other stages read, or the caller; and which ones nobody
    reads after it.
    """
    maker: dict[int, int] = {}
    last: dict[int, int] = {}
    for number, nodes in enumerate(groups):
        made = {slot for node in nodes for slot in node.outs}
        last.update((slot, number) for node in nodes for slot in node.ins if slot not in made)
        for slot in made:
            maker.setdefault(slot, number)
    crossing: list[set[int]] = [set() for _ in groups]
    for slot, number in maker.items():
        if slot in last or slot in outputs:
            crossing[number].add(slot)
    dead: list[list[int]] = [[] for _ in groups]
    for slot, number in last.items():
        if slot in maker and slot not in outputs:
            dead[number].append(slot)
    return crossing, dead
