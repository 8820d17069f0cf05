"""Functions that run on many elements at once: `map` and `filter` of blocks.

Whoever takes the elements one by one gets them from a block that was made ahead. If a block
fails, its elements are computed singly, so that each gives its own result or its own error.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.data.functions import UserFunction, truth
from runnel.data.node import Node, Stage, State, Values, located
from runnel.data.structure import Structure, row
from runnel.data.vectorizing import Vectorized

_MOST = 64  # elements made ahead
_BYTES = 1 << 16  # of elements made ahead
_TEXT = 256  # bytes that a string is taken for


class Stacked(Stage):
    """A stage that makes blocks of the blocks of its source."""

    blocks = True

    def __init__(self, node: Node, function: UserFunction, whole: Vectorized, source: Any) -> None:
        self._node, self._function, self._whole = node, function, whole
        self._source = source
        self._count = 0
        self._pending: list[Values] = []  # elements of a block that failed, in reverse
        self._made: Values = []  # a block made ahead
        self._place = self._rows = 0  # of that block
        self._ahead = rows_ahead(node.inputs[0].structure, node.structure)

    def _results(self, columns: Values, rows: int) -> Values:
        """The block of results, which may be empty."""
        raise NotImplementedError

    def _single(self, values: Values) -> Values:
        """The results for one element, as a block of one row or none."""
        raise NotImplementedError

    def __next__(self) -> Values:
        if self._place == self._rows:
            self._made = self._fresh(self._ahead)
            self._place, self._rows = 0, len(self._made[0])
        place = self._place
        self._place = place + 1
        return [row(column, place) for column in self._made]

    def block(self, count: int) -> Values:
        place = self._place
        if place < self._rows:
            self._place = stop = min(place + count, self._rows)
            return [column[place:stop] for column in self._made]
        return self._fresh(count)

    def _fresh(self, count: int) -> Values:
        while True:
            found = self._one() if self._pending else self._several(count)
            if found and len(found[0]):
                return found

    def _several(self, count: int) -> Values:
        columns = self._source.block(count)
        rows = len(columns[0])
        try:
            found = self._results(columns, rows)
        except Exception:  # which element was it?
            self._pending = [[row(c, i) for c in columns] for i in reversed(range(rows))]
            return []
        self._count += rows
        return found

    def _one(self) -> Values:
        values = self._pending.pop()
        self._count += 1
        try:
            return self._single(values)
        except Exception as error:
            raise located(error, self._node, self._count - 1) from error

    def save(self) -> State:
        made = [column[self._place :] for column in self._made]
        return [self._count, made, self._pending, self._source.save()]

    def restore(self, state: State) -> None:
        self._count, self._made, self._pending, source = state
        self._place, self._rows = 0, len(self._made[0]) if self._made else 0
        self._source.restore(source)


class MapBlocks(Stacked):
    """What a function returns for each element."""

    def _results(self, columns: Values, rows: int) -> Values:
        return self._whole(columns, rows)

    def _single(self, values: Values) -> Values:
        return [np.asarray(value)[None] for value in self._function(values)]


class FilterBlocks(Stacked):
    """The elements that a predicate accepts."""

    def _results(self, columns: Values, rows: int) -> Values:
        keep = np.asarray(self._whole(columns, rows)[0], bool)
        return columns if keep.all() else [column[keep] for column in columns]

    def _single(self, values: Values) -> Values:
        rows = 1 if truth(self._function(values)) else 0
        return [np.asarray(value)[None][:rows] for value in values]


def rows_ahead(*structures: Structure) -> int:
    """How many elements to make ahead, so that they stay small together."""
    size = 1
    for structure in structures:
        parts = [(spec.shape.num_elements() or 1, spec.dtype) for spec in structure.flat]
        size = max(size, sum(count * _width(dtype) for count, dtype in parts))
    return max(1, min(_MOST, _BYTES // size))


def _width(dtype: Any) -> int:
    return _TEXT if dtype.name == "string" else int(np.dtype(dtype.np_dtype).itemsize)
