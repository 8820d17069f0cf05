"""What need not be done in every iteration of a loop that is lowered for XLA.

A value that no iteration changes is kept once for the loop's gradient, not stacked. And a sum of
products, one of each iteration, as the gradient of a weight in a recurrent network is, becomes one
product of the stacked factors after the loop, at a fraction of the time of many small ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from runnel.core import xla
from runnel.core.types import Array
from runnel.graph.program import Node, Program
from runnel.ops.matmul import product

_CHUNK = 128  # iterations whose factors are multiplied at once


def moving_slots(program: Program, changing: Collection[int]) -> set[int]:
    """The slots whose values may differ between iterations; `changing` are inputs that do."""
    moving = set(changing)
    for node in program.nodes:
        steady = not node.op.stateful or node.op.state == "read"
        if not steady or node.op.lower is not None or not moving.isdisjoint(node.ins):
            moving.update(node.outs)
    return moving


def nodes_for(program: Program, slots: Collection[int]) -> list[Node]:
    """The nodes that are needed to compute some slots."""
    wanted, found = set(slots), []
    for node in reversed(program.nodes):
        if not wanted.isdisjoint(node.outs):
            found.append(node)
            wanted.update(node.ins)
    return found[::-1]


class SumOfProducts(NamedTuple):
    """An input of a loop to which each iteration adds `transpose(left) @ right`."""

    place: int
    left: int
    right: int

    def total(self, start: Array, left: Array, right: Array, count: Array) -> Array:
        """The sum after `count` iterations, from the stacked factors, whose rest is zeros."""

        def several(first: Any, size: int) -> Array:
            a, b = [
                xla.lax.dynamic_slice_in_dim(x, first, size).reshape(-1, x.shape[-1])
                for x in (left, right)
            ]
            return product(xla.jnp, a.T, b)

        if len(left) <= _CHUNK:
            return start + several(0, len(left))
        chunks = (count + (_CHUNK - 1)) // _CHUNK
        return xla.lax.fori_loop(
            0, chunks, lambda i, found: found + several(i * _CHUNK, _CHUNK), start
        )


def padded(bound: int) -> int:
    """Room for `bound` iterations, in whole chunks where there are several."""
    return bound if bound <= _CHUNK else -(-bound // _CHUNK) * _CHUNK


def sums_of_products(program: Program, places: Sequence[int]) -> list[SumOfProducts]:
    """The inputs among `places` that are nothing but sums of products."""
    makers = {slot: node for node in program.nodes for slot in node.outs}
    readers = Counter(slot for node in program.nodes for slot in node.ins)
    readers.update(program.outputs)
    found = []
    for place in places:
        before, after = program.inputs[place], program.outputs[place]
        adding = makers.get(after)
        if adding is None or adding.op.name not in ("AddV2", "AddN") or len(adding.ins) != 2:
            continue
        if before not in adding.ins or readers[before] != 1 or readers[after] != 1:
            continue
        factor = makers.get(next((slot for slot in adding.ins if slot != before), before))
        if factor is not None and _is_product(factor):
            found.append(SumOfProducts(place, *factor.ins))
    return found


def _is_product(node: Node) -> bool:
    attrs = node.attrs
    return node.op.name == "MatMul" and attrs["transpose_a"] and not attrs["transpose_b"]
