"""One element of a dataset by its number, without those before it: `tf.data.experimental.at`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.values.errors import FailedPreconditionError, OutOfRangeError, UnimplementedError
from runnel.data.dataset.dataset import WithOptions
from runnel.data.dataset.options import Options
from runnel.data.nodes.batching import Batch, Unbatch
from runnel.data.nodes.caching import Cache
from runnel.data.nodes.combining import Concatenate, Zip
from runnel.data.nodes.errors import AssertCardinality
from runnel.data.nodes.mapping import Enumerate, Map
from runnel.data.nodes.node import INFINITE, UNKNOWN, Node, Run, Values, number
from runnel.data.nodes.shuffling import Shuffle
from runnel.data.nodes.sources import FromList, FromSlices, FromTensors, FromValues, Range, Rows
from runnel.data.nodes.taking import Relabelled, Repeat, Shard, Skip, Take
from runnel.data.run.parallel import Prefetch


def element(node: Node, place: int) -> Values:
    """The flat values of an element."""
    find = _FINDERS.get(type(node))
    if find is None:
        message = f"Random access is not implemented for the step {node.title}."
        raise UnimplementedError(None, None, message)
    size = node.cardinality()
    if size in (INFINITE, UNKNOWN):
        message = f"{node.title}: random access needs a dataset of known, finite cardinality."
        raise FailedPreconditionError(None, None, message)
    if not 0 <= place < size:
        raise OutOfRangeError(None, None, f"Index out of range [0, {size}): {place}")
    return find(node, place)


def _same(node: Node, place: int) -> Values:
    return element(node.input, place)


def _listed(node: Node, place: int) -> Values:
    stage = Run(Options()).build(node)
    if isinstance(stage, Rows):
        return stage.at(place)
    return next(values for count, values in enumerate(stage) if count == place)


def _range(node: Range, place: int) -> Values:
    return [np.asarray(node.numbers()[place], node.dtype.np_dtype)[()]]


def _mapped(node: Map, place: int) -> Values:
    return node.function(element(node.input, place))


def _numbered(node: Enumerate, place: int) -> Values:
    return [np.int64(number(node.start) + place), *element(node.input, place)]


def _batch(node: Batch, place: int) -> Values:
    size, count = number(node.size), node.input.cardinality()
    rows = [element(node.input, i) for i in range(place * size, min((place + 1) * size, count))]
    one = Batch(FromValues(node.input.structure, rows), size, drop_remainder=False)
    return next(Run(Options()).build(one))  # type: ignore[no-any-return]


def _unbatched(node: Unbatch, place: int) -> Values:
    whole, rows = divmod(place, node.rows or 1)
    one = Unbatch(FromValues(node.input.structure, [element(node.input, whole)]))
    return _listed(one, rows)


def _asserted(node: AssertCardinality, place: int) -> Values:
    if place >= node.input.cardinality() >= 0:
        message = f"{node.title}: there are only {node.input.cardinality()} elements."
        raise FailedPreconditionError(None, None, message)
    return element(node.input, place)


def _concatenated(node: Concatenate, place: int) -> Values:
    first, second = node.inputs
    count = first.cardinality()
    return element(first, place) if place < count else element(second, place - count)


def _zipped(node: Zip, place: int) -> Values:
    return [value for source in node.inputs for value in element(source, place)]


def _shuffled(node: Shuffle, place: int) -> Values:
    return element(node.input, node.order[place])


_FINDERS: dict[type[Node], Callable[[Any, int], Values]] = {
    **dict.fromkeys([FromSlices, FromTensors, FromList], _listed),
    **dict.fromkeys([Cache, Prefetch, Relabelled, Take, WithOptions], _same),
    Range: _range,
    Map: _mapped,
    Enumerate: _numbered,
    Batch: _batch,
    Unbatch: _unbatched,
    AssertCardinality: _asserted,
    Concatenate: _concatenated,
    Zip: _zipped,
    Shuffle: _shuffled,
    Repeat: lambda node, place: element(node.input, place % node.input.cardinality()),
    Skip: lambda node, place: element(node.input, place + number(node.count)),
    Shard: lambda node, place: element(
        node.input, place * number(node.num_shards) + number(node.index)
    ),
}
