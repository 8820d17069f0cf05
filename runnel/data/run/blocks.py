"""Functions that run on many elements at once: `map` and `filter` of blocks.

Whoever takes the elements one by one gets them from a block that was made ahead. If a block
fails, its elements are computed singly, so that each gives its own result or its own error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.values.tracebacks import let_through
from runnel.data.nodes.node import Node, Stage, State, Values, located
from runnel.data.run.functions import UserFunction, truth
from runnel.data.run.structure import Structure, row
from runnel.graph.run.runner import Runner

_ELEMENTS_AHEAD = 64  # elements made ahead of one that is wanted
_MOST_ROWS = 1024  # of a block that is wanted
_BYTES = 1 << 16  # of elements made ahead
_BYTES_ROWS = 1 << 19  # the same of a block
_TEXT = 256  # bytes that a string is taken for


class _Ahead(Stage):
    """What makes many elements at once keeps the columns of those not yet given."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._count = 0
        self._pending: list[Values] = []  # elements, or batches, that failed together, in reverse
        self._made: Values = []  # columns made ahead
        self._place = self._rows = 0  # of these columns

    def save(self) -> State:
        made = [column[self._place :] for column in self._made]
        return [self._count, made, self._pending, self._source.save()]

    def restore(self, state: State) -> None:
        self._count, self._made, self._pending, source = state
        self._place, self._rows = 0, len(self._made[0]) if self._made else 0
        self._source.restore(source)


class Stacked(_Ahead):
    """A stage that makes blocks of the blocks of its source."""

    blocks = True

    def __init__(self, node: Node, function: UserFunction, whole: Runner, source: Any) -> None:
        super().__init__(source)
        self._node, self._function, self._whole = node, function, whole
        structures = node.inputs[0].structure, node.structure
        self._ahead = rows_ahead(_ELEMENTS_AHEAD, _BYTES, *structures)
        self._rows_ahead = rows_ahead(_MOST_ROWS, _BYTES_ROWS, *structures)

    def _results(self, columns: Values) -> Values:
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
        self.made += 1
        return [row(column, place) for column in self._made]

    def block(self, count: int) -> Values:
        if self._place == self._rows:
            self._made = self._fresh(max(count, self._rows_ahead))
            self._place, self._rows = 0, len(self._made[0])
        place = self._place
        self._place = stop = min(place + count, self._rows)
        self.made += stop - place
        return [column[place:stop] for column in self._made]

    def _fresh(self, count: int) -> Values:
        while True:
            found = self._one() if self._pending else self._several(count)
            if found and len(found[0]):
                return found

    def _several(self, count: int) -> Values:
        columns = self._source.block(count)
        rows = len(columns[0])
        try:
            found = self._results(columns)
        except Exception as error:  # which element was it?
            let_through(error)
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


class MapBlocks(Stacked):
    """What a function returns for each element."""

    def _results(self, columns: Values) -> Values:
        return self._whole(columns)

    def _single(self, values: Values) -> Values:
        return [np.asarray(value)[None] for value in self._function(values)]


class FilterBlocks(Stacked):
    """The elements that a predicate accepts."""

    def _results(self, columns: Values) -> Values:
        keep = np.asarray(self._whole(columns)[0], bool)
        return columns if keep.all() else [column[keep] for column in columns]

    def _single(self, values: Values) -> Values:
        rows = 1 if truth(self._function(values)) else 0
        return [np.asarray(value)[None][:rows] for value in values]


class MapBatches(_Ahead):
    """What a function of rows returns for each batch, made of several batches as one.

    If those fail, they are computed one by one.
    """

    def __init__(self, node: Any, rows: Runner, source: Any, count: int) -> None:
        super().__init__(source)
        self._node, self._rows_of = node, rows
        self._batches, self._size = count, source.size

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._count

    def __next__(self) -> Values:
        while not self._pending and self._place == self._rows:
            self._fill()
        self._count += 1
        if self._pending:
            try:
                return self._node.function(self._pending.pop())  # type: ignore[no-any-return]
            except Exception as error:
                raise located(error, self._node, self._count - 1) from error
        place = self._place
        self._place = stop = min(place + self._size, self._rows)
        return [column[place:stop] for column in self._made]

    def _fill(self) -> None:
        columns = self._source.rows(self._batches)
        rows = len(columns[0])
        try:
            self._made = self._rows_of(columns)
        except Exception as error:  # which batch was it?
            let_through(error)
            starts = range(0, rows, self._size)
            cut = [[c[start : start + self._size] for c in columns] for start in starts]
            self._pending = cut[::-1]
            return
        self._place, self._rows = 0, rows


class MapAhead(Stage):
    """What a function that knows many elements returns for each of the batches of endless rows."""

    def __init__(self, many: Callable[[Any], Any], source: Any) -> None:
        self._many, self._source = many, source
        self._made: Any = ()
        self._place = 0

    def __next__(self) -> Values:
        if self._place == len(self._made):
            (rows,) = self._source.rows(_ELEMENTS_AHEAD)
            self._made, self._place = self._many(rows.reshape(_ELEMENTS_AHEAD, -1)), 0
        self._place += 1
        self.made += 1
        return [self._made[self._place - 1]]

    def save(self) -> State:
        return [self.made, list(self._made[self._place :]), self._source.save()]

    def restore(self, state: State) -> None:
        self.made, self._made, source = state
        self._place = 0
        self._source.restore(source)


def batches_ahead(size: int, *structures: Structure) -> int:
    """How many batches to make at once, so that they stay small together."""
    specs = [spec for structure in structures for spec in structure.flat]
    row = sum(math.prod(d or 1 for d in spec.shape[1:]) * _width(spec.dtype) for spec in specs)
    return min(_MOST_ROWS, _BYTES_ROWS // max(1, row)) // size


def rows_ahead(most: int, most_bytes: int, *structures: Structure) -> int:
    """How many elements to make ahead, so that they stay small together."""
    size = 1
    for structure in structures:
        parts = [(spec.shape.num_elements() or 1, spec.dtype) for spec in structure.flat]
        size = max(size, sum(count * _width(dtype) for count, dtype in parts))
    return max(1, min(most, most_bytes // size))


def _width(dtype: Any) -> int:
    return _TEXT if dtype.name == "string" else int(np.dtype(dtype.np_dtype).itemsize)
