"""The way back of an eager step that recurs, written down once as a line of kernels.

Going back from record to record takes several times as long as the kernels of a small step do. So
a tape that has recorded the same ops on the same shapes before is not walked: the walk has been
traced, with a stand-in for each tensor, and its kernels are called one after the other on the
values of this tape. They are the same kernels in the same order, so the gradients are the same to
the last bit. The step of a network of three layers takes 1.6 times as long without it ("recurring"
in `benchmarks/mechanisms.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from runnel.backend import memory
from runnel.backend.cache import BoundedCache
from runnel.core.gradients.backprop import backprop
from runnel.core.gradients.naming import Naming
from runnel.core.gradients.tape import Record
from runnel.core.op import eager, observing
from runnel.core.op.context import building, state
from runnel.core.op.registry import gradients
from runnel.core.tensor.convert import convert_to_tensor, emit
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import resource
from runnel.core.values.tracebacks import let_through
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.cutting.straight import Straight, suits
from runnel.graph.run.effects import is_stateful
from runnel.graph.run.program import Program

_FEWEST, _MOST = 4, 300  # records; to write down more takes longer than most steps recur
_AFTER = 8  # tapes with the same ops, and then of the same shapes too
_LARGEST = 2**22  # elements of all tensors: beside their kernels the walk is nothing
_TRIES = 100  # new shapes in a row; then such tapes are not looked at any more

_UNNAMED = Naming(lambda graph, operation: None, "zeros")


def recurring(
    records: Sequence[Any],
    targets: Sequence[Tensor],
    sources: Sequence[Tensor],
    arriving: Sequence[Tensor | None],
    watched: Sequence[Tensor],
) -> list[Any] | None:
    """The gradients of the sources as `backprop` gives them; None for a tape that is to be walked.

    Such are those that have not recurred yet, and those with anything but dense tensors, variables
    that are read, and ops whose gradients are the library's own.
    """
    here = state
    if not _FEWEST <= len(records) <= _MOST or here.tapes or eager.watched or here.watcher:
        return None
    ops = tuple([entry.op for entry in records])
    family = _families.get(ops)
    if family is None:
        _families[ops] = family = _Family()
    return family.gradients(_Walk(records, targets, sources, arriving, watched))


class _Walk(NamedTuple):
    """What `backprop` takes."""

    records: Sequence[Any]
    targets: Sequence[Any]
    sources: Sequence[Any]
    arriving: Sequence[Any]
    watched: Sequence[Any]


class _Family:
    """Tapes of the same ops, in the same order."""

    def __init__(self) -> None:
        self.left = _AFTER  # to be walked before anybody looks at their shapes
        self.tries = _TRIES
        self.ways: BoundedCache[_Way | int] = BoundedCache(16)  # or how often they were walked

    def gradients(self, walk: _Walk) -> list[Any] | None:
        if self.left:
            self.left -= 1
            return None
        if not self.tries:
            return None
        key, tensors = _described(walk)
        try:
            way = self.ways.get(key)
        except TypeError:  # an attribute that cannot be compared at once
            self.tries = 0
            return None
        if isinstance(way, _Way):
            return way.gradients(tensors)
        count = way or 0
        if not count:
            self.tries -= 1
        if count < _AFTER:
            self.ways[key] = count + 1
        elif observing.made is None:
            found = _written(walk, tensors)
            self.tries = 0 if found is None else _TRIES
            if found is not None:
                self.ways[key] = found
        return None


_families: BoundedCache[_Family] = BoundedCache(256)


def _described(walk: _Walk) -> tuple[tuple[Any, ...], list[Any]]:
    """What tells tapes of one family apart, and their tensors in the order of their first use."""
    places: dict[int, int] = {}
    tensors: list[Any] = []
    key: list[Any] = []
    for entry in walk.records:
        op = entry.op
        if op is None:
            key.append([])  # a gradient that came as a function: like no other
            break
        if entry.attrs:
            key += entry.attrs.items()
        for tensor in (*entry.inputs, *entry.outputs):
            place = places.get(tensor._id)
            if place is None:
                places[tensor._id] = place = len(tensors)
                tensors.append(tensor)
                value = tensor._value if type(tensor) is EagerTensor else tensor
                key += (tensor._dtype, value.shape)
            key.append(place)
        if op.static:
            for at in op.static_places(entry.attrs):
                key.append(np.asarray(entry.inputs[at]._value).tobytes())
    for tensor in (*walk.targets, *walk.sources, *walk.arriving, None, *walk.watched):
        place = -1
        if tensor is not None:
            place = places.setdefault(tensor._id, len(tensors))
            if place == len(tensors):
                tensors.append(tensor)
                key += (tensor._dtype, tensor.shape._dims)
        key.append(place)
    key.append(len(walk.targets))
    return tuple(key), tensors


class _Way:
    """The kernels of a walk."""

    def __init__(self, program: Program, found: Sequence[Any], *, small: bool) -> None:
        used = {slot for node in program.nodes for slot in node.ins}.union(program.outputs)
        self.places = [place for place, slot in enumerate(program.inputs) if slot in used]
        program.inputs = [program.inputs[place] for place in self.places]
        self._run = Straight(program, small=small)
        self._found = [
            None if g is None else (type(g), [t.dtype for t in _parts(g)]) for g in found
        ]

    def gradients(self, tensors: Sequence[Any]) -> list[Any] | None:
        try:
            values = iter(self._run([tensors[place]._value for place in self.places]))
        except Exception as error:
            let_through(error)
            return None  # who walks finds the same, and says where
        made: list[Any] = []
        for found in self._found:
            if found is None:
                made.append(None)
                continue
            kind, dtypes = found
            parts = [EagerTensor(next(values), dtype) for dtype in dtypes]
            made.append(IndexedSlices(*parts) if kind is IndexedSlices else parts[0])
        return made


def _parts(gradient: Any) -> list[Any]:
    if not isinstance(gradient, IndexedSlices):
        return [gradient]
    parts = [gradient.values, gradient.indices, gradient.dense_shape]
    return [part for part in parts if part is not None]


def _written(walk: _Walk, tensors: Sequence[Any]) -> _Way | None:
    """The walk as a line of kernels, by a look at what it does to stand-ins for the tensors."""
    count = sum(math.prod(t.shape._dims) for t in tensors)
    if not all(map(_is_plain, walk.records)) or count > _LARGEST:
        return None
    fixed = {
        entry.inputs[at]._id for entry in walk.records for at in entry.op.static_places(entry.attrs)
    }
    graph = FuncGraph("gradient")
    with building(graph):
        inputs = {t._id: graph.add_input(t._dtype, t.shape._dims) for t in tensors}
        stand = dict(inputs)
        stand.update((t._id, emit(t._value, None, t._dtype)) for t in tensors if t._id in fixed)

        def inside(group: Sequence[Any]) -> list[Any]:
            return [None if t is None else stand[t._id] for t in group]

        records = [Record(e.op, inside(e.inputs), inside(e.outputs), e.attrs) for e in walk.records]
        try:
            targets, sources, arriving, watched = map(inside, walk[1:])
            found: list[Any] = backprop(
                records, targets, sources, arriving, watched, _UNNAMED, in_order=True
            )
        except Exception as error:
            let_through(error)
            return None
        found = [
            g if g is None or isinstance(g, IndexedSlices) else convert_to_tensor(g) for g in found
        ]
        outputs: list[Any] = [
            graph.capture(part) for g in found if g is not None for part in _parts(g)
        ]
    if graph.external_captures or is_stateful(graph):
        return None
    program = Program(graph, list(inputs.values()), outputs)
    if not suits(program):
        return None
    way = _Way(program, found, small=count <= memory.LARGE)
    kept = all(
        isinstance(tensors[p], EagerTensor) and tensors[p]._dtype is not resource
        for p in way.places
    )
    return way if kept else None


def _is_plain(entry: Any) -> bool:
    """Whether a record is of an op on tensors, with a gradient of the library's own."""
    function = gradients.get(entry.op.name)
    known = getattr(getattr(function, "func", function), "__module__", "").startswith("runnel.")
    reads = entry.op.state == "read" or all(t._dtype is not resource for t in entry.inputs)
    return known and reads
