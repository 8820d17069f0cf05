"""Datasets of tensors in memory, and of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import DType
from runnel.core.values.type_spec import TensorSpec
from runnel.data.run.components import rows_of, sliced, sliced_spec
from runnel.data.run.structure import Structure, raw, row
from .node import INFINITE, UNKNOWN, Node, Run, Stage, State, Values, known_number, number


class FromTensors(Node):
    """One element."""

    kind = "TensorDataset"

    def __init__(self, structure: Structure, tensors: Sequence[Tensor]) -> None:
        super().__init__((), structure)
        self.tensors = tuple(tensors)

    def make(self, run: Run) -> Stage:
        return _Listed([[raw(t) for t in self.tensors]])

    def cardinality(self) -> int:
        return 1


class FromList(Node):
    """Elements that are all in memory."""

    kind = "ListDataset"

    def __init__(self, structure: Structure, elements: Sequence[Sequence[Tensor]]) -> None:
        super().__init__((), structure)
        self.elements = tuple(tuple(element) for element in elements)

    def make(self, run: Run) -> Stage:
        return _Listed([[raw(t) for t in element] for element in self.elements])

    def cardinality(self) -> int:
        return len(self.elements)


class FromValues(Node):
    """Elements that are values already, such as those of a window."""

    kind = "ListDataset"

    def __init__(self, structure: Structure, elements: list[Values]) -> None:
        super().__init__((), structure)
        self.elements = elements

    def make(self, run: Run) -> Stage:
        return _Listed(self.elements)

    def cardinality(self) -> int:
        return len(self.elements)


class _Placed(Stage):
    """A source whose state is the number of its next element."""

    _place = 0

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._place

    def save(self) -> State:
        return self._place

    def restore(self, state: State) -> None:
        self._place = state


class _Listed(_Placed):
    def __init__(self, elements: list[Values]) -> None:
        self._elements = elements

    def __next__(self) -> Values:
        place = self._place
        if place >= len(self._elements):
            raise StopIteration
        self._place = place + 1
        return self._elements[place]


class FromSlices(Node):
    """The rows of tensors."""

    kind = "TensorSliceDataset"

    def __init__(self, structure: Structure, tensors: Sequence[Tensor]) -> None:
        super().__init__((), structure.map_leaves(sliced_spec))
        self.whole = structure
        self.tensors = tuple(tensors)

    def make(self, run: Run) -> Stage:
        values = [raw(t) for t in self.tensors]
        if self.whole.plain:
            return Rows(values)
        return _Listed(sliced(self.whole, values))

    def cardinality(self) -> int:
        for leaf in self.whole.leaves:
            shape = rows_of(leaf)
            if shape is not None and shape.rank and shape[0] is not None:
                return int(shape[0])
        return UNKNOWN


class Rows(_Placed):
    """Rows of arrays, in order or by position."""

    blocks = True

    def __init__(self, columns: list[Any]) -> None:
        self._columns = columns
        self._plain = all(c.dtype != object or c.ndim > 1 for c in columns)
        self._count = len(columns[0])

    def __next__(self) -> Values:
        place = self._place
        if place >= self._count:
            raise StopIteration
        self._place = place + 1
        if self._plain:
            return [column[place] for column in self._columns]
        return [row(column, place) for column in self._columns]

    def block(self, count: int) -> Values:
        start = self._place
        if start >= self._count:
            raise StopIteration
        self._place = stop = min(start + count, self._count)
        return [column[start:stop] for column in self._columns]

    def skip(self, count: int) -> None:
        self._place = min(self._place + count, self._count)

    def positions(self, count: int) -> range:
        """The next places to read, which are passed over."""
        start = self._place
        self._place = stop = min(start + count, self._count)
        return range(start, stop)

    def at(self, position: int) -> Values:
        return [row(column, position) for column in self._columns]

    def gather(self, positions: Sequence[int]) -> Values:
        """The rows at some positions, stacked."""
        where = np.array(positions, np.int64)
        return [column[where] for column in self._columns]


class Range(Node):
    """Numbers at equal distances."""

    kind = "RangeDataset"

    def __init__(self, start: Any, stop: Any, step: Any, dtype: DType) -> None:
        super().__init__((), Structure(TensorSpec((), dtype)))
        self.start, self.stop, self.step = start, stop, step
        self.dtype = dtype

    def numbers(self) -> range:
        return range(number(self.start), number(self.stop), number(self.step))

    def make(self, run: Run) -> Stage:
        return _Counting(self.numbers(), self.dtype.np_dtype)

    def cardinality(self) -> int:
        ends = [known_number(n) for n in (self.start, self.stop, self.step)]
        return UNKNOWN if None in ends else len(self.numbers())


class Counter(Node):
    """Numbers at equal distances without end."""

    kind = "CounterDataset"

    def __init__(self, start: Tensor, step: Tensor) -> None:
        super().__init__((), Structure(TensorSpec(start.shape, start.dtype)))
        self.start, self.step = start, step

    def make(self, run: Run) -> Stage:
        return _Endless(raw(self.start), raw(self.step))

    def cardinality(self) -> int:
        return INFINITE


class _Counting(_Placed):
    blocks = True

    def __init__(self, numbers: range, dtype: Any) -> None:
        self._numbers = numbers
        self._count = len(numbers)
        self._kind = np.dtype(dtype).type

    def __next__(self) -> Values:
        place = self._place
        if place >= self._count:
            raise StopIteration
        self._place = place + 1
        return [self._kind(self._numbers[place])]

    def block(self, count: int) -> Values:
        taken = self.positions(count)
        if not taken:
            raise StopIteration
        return [self._array(self._numbers[taken.start : taken.stop])]

    def _array(self, numbers: range) -> Any:
        found = np.arange(numbers.start, numbers.stop, numbers.step, dtype=np.int64)
        return found.astype(self._kind, copy=False)

    def skip(self, count: int) -> None:
        self._place = min(self._place + count, self._count)

    def positions(self, count: int) -> range:
        start = self._place
        self._place = stop = min(start + count, self._count)
        return range(start, stop)

    def at(self, position: int) -> Values:
        return [self._kind(self._numbers[position])]

    def gather(self, positions: Sequence[int]) -> Values:
        where = np.array(positions, np.int64) * self._numbers.step + self._numbers.start
        return [where.astype(self._kind, copy=False)]


class _Endless(_Placed):
    def __init__(self, start: Any, step: Any) -> None:
        self._start, self._step = start, step

    def __next__(self) -> Values:
        place = np.int64(self._place).astype(self._start.dtype)
        self._place += 1
        with np.errstate(over="ignore"):  # small integers wrap around
            return [self._start + place * self._step]


class Empty(Node):
    """No elements, of any structure."""

    kind = "ListDataset"

    def make(self, run: Run) -> Stage:
        return _Listed([])

    def cardinality(self) -> int:
        return 0
