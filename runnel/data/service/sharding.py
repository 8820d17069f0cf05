"""The part of a dataset that one of several workers reads."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from runnel.core.values.errors import InvalidArgumentError
from runnel.data.dataset.options import SHARD_HINT
from runnel.data.files.readers import Files
from runnel.data.nodes.combining import Interleave
from runnel.data.nodes.mapping import FlatMap
from runnel.data.nodes.node import Node, known_number
from runnel.data.nodes.taking import Shard
from runnel.data.service.policies import ShardingPolicy


def part_of(node: Node, policy: ShardingPolicy, count: int, index: int) -> Node:
    """What worker `index` of `count` reads."""
    if policy is ShardingPolicy.DATA:
        return Shard(node, count, index)
    if policy in (ShardingPolicy.FILE, ShardingPolicy.FILE_OR_DATA):
        return _part_of_files(node, policy, count, index)
    if policy is ShardingPolicy.HINT:
        return rewritten(node, lambda made: _hinted(made, count, index))
    return node


def _hinted(node: Node, count: int, index: int) -> Node:
    if isinstance(node, Shard) and known_number(node.num_shards) == SHARD_HINT:
        return Shard(node.input, count, index)
    return node


def names_of_files(node: Node) -> Node | None:
    """The names of the files that a dataset reads first; None if it reads none."""
    if _opens_files(node):
        return node.input
    found = (names_of_files(source) for source in node.inputs)
    return next((names for names in found if names is not None), None)


def _opens_files(node: Node) -> bool:
    return isinstance(node, Files) or (
        isinstance(node, FlatMap | Interleave) and _reads_files(node.function)
    )


def _part_of_files(node: Node, policy: ShardingPolicy, count: int, index: int) -> Node:
    found = []

    def shard(made: Node) -> Node:
        if _opens_files(made):
            found.append(made)
            return _with_inputs(made, [Shard(made.input, count, index)])
        return made

    changed = rewritten(node, shard)
    if found:
        return changed
    if policy is ShardingPolicy.FILE_OR_DATA:
        return Shard(node, count, index)
    message = "ShardingPolicy.FILE: the dataset reads no files; try FILE_OR_DATA or DATA."
    raise InvalidArgumentError(None, None, message)


def _reads_files(function: Any) -> bool:
    nodes = [op.attrs.get("node") for op in function.graph._operations]
    return any(_has_files(node) for node in nodes if isinstance(node, Node))


def _has_files(node: Node) -> bool:
    return isinstance(node, Files) or any(_has_files(source) for source in node.inputs)


def rewritten(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with what `change` makes of it and of all before it."""
    inputs = [rewritten(source, change) for source in node.inputs]
    if any(a is not b for a, b in zip(inputs, node.inputs)):
        node = _with_inputs(node, inputs)
    return change(node)


def _with_inputs(node: Node, inputs: list[Node]) -> Node:
    made = copy.copy(node)
    made.inputs = tuple(inputs)
    return made
