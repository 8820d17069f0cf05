"""What need not be done in every iteration of a loop that is lowered for XLA.

A value that no iteration changes is kept once for the loop's gradient, not stacked. A sum of
products, one of each iteration, as the gradient of a weight in a recurrent network is, becomes one
product of the stacked factors after the loop, at a fraction of the time of many small ones. Rows
that are added to a tensor, each at another place, are stacked.

Without these, recurrent layers and their gradients take 1.32 times as long for the sums of
products, 1.24 for those of rows, 1.20 for the lists that are emptied: geometric means of the cases
of `benchmarks/mechanisms.py`. Transposing a matrix once before the loop gained nothing any more,
and left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from runnel.backend import jax as xla
from runnel.core.tensor.tensor_list import Stacked
from runnel.core.values.types import Array
from runnel.graph.run.program import Node, Program
from runnel.kernels.linalg.product import product

_CHUNK = 128  # iterations whose factors are multiplied at once


class Body:
    """The nodes of an iteration, which may be changed without changing the program."""

    def __init__(self, program: Program) -> None:
        self.inputs, self.outputs = program.inputs, program.outputs
        self.nodes = list(program.nodes)

    def nodes_for(self, slots: Collection[int]) -> list[Node]:
        """The nodes that are needed to compute some slots."""
        wanted, found = set(slots), []
        for node in reversed(self.nodes):
            if not wanted.isdisjoint(node.outs):
                found.append(node)
                wanted.update(node.ins)
        return found[::-1]

    def drop_all_but(self, slots: Collection[int]) -> None:
        """Drop what neither some slots nor what runs in any case needs."""
        effects = [slot for node in self.nodes if node.is_kept for slot in node.ins]
        needed = {id(node) for node in self.nodes_for([*slots, *effects])}
        self.nodes = [node for node in self.nodes if id(node) in needed or node.is_kept]

    def makers(self) -> dict[int, Node]:
        return {slot: node for node in self.nodes for slot in node.outs}

    def readers(self) -> Counter[int]:
        found = Counter(slot for node in self.nodes for slot in node.ins)
        found.update(self.outputs)
        return found

    def items_read(self) -> dict[int, tuple[int, int]]:
        """The slots of elements of lists that are inputs: the place of the list, the index."""
        places = {slot: place for place, slot in enumerate(self.inputs)}
        return {
            node.outs[0]: (places[node.ins[0]], node.ins[1])
            for node in self.nodes
            if node.op.name == "TensorListGetItem" and node.ins[0] in places
        }


def moving_slots(body: Body, changing: Collection[int], copies: Collection[int]) -> set[int]:
    """The slots whose values may differ between iterations; `changing` are inputs that do.

    `copies` are lists all of whose elements are the same.
    """
    moving = set(changing)
    for node in body.nodes:
        steady = not node.op.stateful or node.op.state == "read"
        if node.op.name == "TensorListGetItem" and node.ins[0] in copies:
            continue
        if not steady or node.op.lower is not None or not moving.isdisjoint(node.ins):
            moving.update(node.outs)
    return moving


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
            return product(xla.jnp, a, b, transpose_a=True)

        if len(left) <= _CHUNK:
            return start + several(0, len(left))
        chunks = (count + (_CHUNK - 1)) // _CHUNK
        return xla.lax.fori_loop(
            0, chunks, lambda i, found: found + several(i * _CHUNK, _CHUNK), start
        )


def padded(bound: int) -> int:
    """Room for `bound` iterations, in whole chunks where there are several."""
    return bound if bound <= _CHUNK else -(-bound // _CHUNK) * _CHUNK


def sums_of_products(body: Body, places: Sequence[int]) -> list[SumOfProducts]:
    """The inputs among `places` that are nothing but sums of products."""
    makers, readers = body.makers(), body.readers()
    found = []
    for place in places:
        before, after = body.inputs[place], body.outputs[place]
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


class SumOfRows(NamedTuple):
    """An input of a loop to which each iteration adds a row, every one at another place."""

    place: int
    value: int

    def total(self, start: Array, rows: Array) -> Array:
        """The sum, from the rows that were added."""
        rows = rows.reshape(len(rows), *start.shape[1:])
        if len(rows) < len(start):
            return xla.jnp.asarray(start).at[: len(rows)].add(rows)
        return start + rows


def sums_of_rows(body: Body, places: Sequence[int], numbers: Collection[int]) -> list[SumOfRows]:
    """The inputs among `places` to which rows are added at an index in one of the slots `numbers`.

    The gradient of a sequence from which each iteration takes an element is one.
    """
    makers, readers = body.makers(), body.readers()
    found = []
    for place in places:
        before, after = body.inputs[place], body.outputs[place]
        adding = makers.get(after)
        if adding is None or adding.op.name != "TensorScatterAdd" or adding.ins[0] != before:
            continue
        if readers[before] != 1 or readers[after] != 1:
            continue
        if reshaped(adding.ins[1], makers) in numbers:
            found.append(SumOfRows(place, reshaped(adding.ins[2], makers)))
    return found


class Emptied(NamedTuple):
    """A list of which each iteration takes an element, another one each time, leaving zeros."""

    place: int

    def rest(self, start: Stacked, count: Any) -> Stacked:
        """What is left of the list after `count` iterations."""
        taken = xla.jnp.arange(len(start)) < count
        shape = (-1, *(1 for _ in start.held.shape[1:]))
        nothing = xla.jnp.zeros((), start.held.dtype)
        return start.holding(xla.jnp.where(taken.reshape(shape), nothing, start.held))


def emptied_lists(body: Body, places: Sequence[int], numbers: Collection[int]) -> list[Emptied]:
    """The lists among `places` whose elements are taken by an index in one of the slots `numbers`.

    The gradient of a list to which each iteration writes is one. XLA would copy it every time.
    """
    makers, readers = body.makers(), body.readers()
    found = []
    for place in places:
        before, after = body.inputs[place], body.outputs[place]
        setting = makers.get(after)
        if setting is None or setting.op.name != "TensorListSetItem" or readers[after] != 1:
            continue
        zeros = makers.get(setting.ins[2])
        taking = None if zeros is None else makers.get(zeros.ins[0])
        if zeros is None or taking is None or zeros.op.name != "ZerosLike":
            continue
        both = taking.op.name == "TensorListGetItem" and taking.ins[:2] == setting.ins[:2]
        if both and setting.ins[0] == before and readers[before] == 2 and setting.ins[1] in numbers:
            found.append(Emptied(place))
    return found


def reshaped(slot: int, makers: Mapping[int, Node]) -> int:
    """The slot whose value `slot` has in another shape."""
    while slot in makers and makers[slot].op.name in ("Reshape", "ExpandDims"):
        slot = makers[slot].ins[0]
    return slot
