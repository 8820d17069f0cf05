"""Several elements in one: batch and its reverse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from runnel.core.values.errors import OpError, invalid
from runnel.data.nodes.node import (
    UNKNOWN,
    CountingStage,
    Node,
    Run,
    SourcedStage,
    Stage,
    State,
    Values,
    known_number,
    located,
    number,
)
from runnel.data.run.components import (
    batched_spec,
    rows_of,
    sliced,
    sliced_spec,
    stack,
    stack_arrays,
)
from runnel.data.run.parallel import Ahead, Failure
from runnel.data.run.structure import Structure, row


class Batch(Node):
    """So many elements stacked into one."""

    kind = "BatchDataset"

    def __init__(self, source: Node, size: Any, drop_remainder: Any, calls: Any = None) -> None:
        self.size, self.drop_remainder, self.calls = size, drop_remainder, calls
        known, dropped = known_number(size), known_number(drop_remainder)
        static = known if dropped and known is not None else None
        super().__init__([source], source.structure.map_leaves(lambda s: batched_spec(s, static)))
        if known is not None:
            checked_size(known)
        if calls is not None:
            self.kind = "ParallelBatchDataset"

    def make(self, run: Run) -> Stage:
        size = checked_size(number(self.size))
        stage = BatchStage(self, run.build(self.input), size, bool(number(self.drop_remainder)))
        if self.calls is None or not run.threads:
            return stage
        return Ahead(stage, number(self.calls))

    def cardinality(self) -> int:
        return batches(self.input.cardinality(), self.size, self.drop_remainder)


def batches(elements: int, size: Any, drop_remainder: Any) -> int:
    """How many batches elements make."""
    known, dropped = known_number(size), known_number(drop_remainder)
    if elements < 0:
        return elements
    if known is None or dropped is None:
        return UNKNOWN
    return elements // known if dropped else -(-elements // known)


def checked_size(size: int) -> int:
    if size < 1:
        message = f"Batch size must be greater than zero, got {size}."
        raise invalid(message)
    return size


_MAPS = ("MapDataset", "ParallelMapDataset")


class BatchStage(CountingStage):
    def __init__(self, node: Batch, source: Any, size: int, drop: bool) -> None:
        self._node = node
        self._source = source
        self.size, self._drop = size, drop
        self._inner: Structure = node.input.structure
        self._plain = self._inner.plain
        self._count = 0
        self._failed: Failure | None = None  # after the rows that were given last

    def __next__(self) -> Values:
        made = self._from_blocks() if self._source.blocks else self._from_elements()
        self._count += 1
        return made

    def rows(self, batches: int) -> Values:
        """The elements of several batches, stacked and not yet cut apart; of blocks only."""
        if self._failed is not None:
            failed, self._failed = self._failed, None
            raise failed.error
        parts: list[Values] = []
        count, wanted = 0, batches * self.size
        try:
            while count < wanted:
                parts.append(self._source.block(wanted - count))
                count += len(parts[-1][0])
        except StopIteration:
            if self._drop:
                count -= count % self.size
            if not count:
                raise
        except Exception as error:
            self._lose(self.size - count % self.size - 1)
            count -= count % self.size
            if not count:
                raise
            self._failed = Failure(error)
        self._count += -(-count // self.size)
        if len(parts) == 1:
            return [column[:count] for column in parts[0]]
        return [np.concatenate(column)[:count] for column in zip(*parts)]

    @property
    def of_blocks(self) -> bool:
        """Whether its elements come stacked."""
        return bool(self._source.blocks)

    def _from_blocks(self) -> Values:
        parts: list[Values] = []
        count = 0
        while count < self.size:
            try:
                parts.append(self._source.block(self.size - count))
            except StopIteration:
                if not parts or self._drop:
                    raise
                break
            except Exception:
                self._lose(self.size - count - 1)
                raise
            count += len(parts[-1][0])
        if len(parts) == 1:
            return parts[0]
        return [np.concatenate(column) for column in zip(*parts)]

    def _from_elements(self) -> Values:
        source = self._source
        rows: list[Values] = []
        try:
            for _ in range(self.size):
                rows.append(next(source))
        except StopIteration:
            if not rows or (self._drop and self._fit(rows)):
                raise  # rows that do not fit are said before that there are too few of them
        except Exception:
            self._lose(self.size - len(rows) - 1)
            raise
        try:
            return self._stacked(rows)
        except Exception as error:
            self._count += 1
            raise located(error, self._node, self._count - 1) from error

    def _fit(self, rows: list[Values]) -> bool:
        """Whether rows have one shape."""
        return all([v.shape for v in row] == [v.shape for v in rows[0]] for row in rows)

    def _lose(self, rest: int) -> None:
        """Pass over the rest of a batch in which an element of a `map` has failed.

        TensorFlow makes the two in one step, so that whoever ignores errors loses the whole batch.
        """
        source = self._node.input
        while source.relabels:
            source = source.input
        if self._node.calls is None and source.kind in _MAPS:
            for _ in range(rest):
                with suppress(OpError, StopIteration):
                    next(self._source)

    def _stacked(self, rows: list[Values]) -> Values:
        if self._plain:
            return [stack_arrays(c, f"component {i}") for i, c in enumerate(zip(*rows))]
        return stack_rows(self._inner, rows)

    def save(self) -> State:
        failed = None if self._failed is None else self._failed.save()
        return [self._count, failed, self._source.save()]

    def restore(self, state: State) -> None:
        self._count, failed, source = state
        self._failed = failed and Failure.restored(failed)
        self._source.restore(source)


def stack_rows(structure: Structure, rows: list[Values]) -> Values:
    """The batch of elements of any structure."""
    grouped = [structure.groups(values) for values in rows]
    return [
        value
        for i, leaf in enumerate(structure.leaves)
        for value in stack(leaf, [groups[i] for groups in grouped], f"component {i}")
    ]


class Unbatch(Node):
    """The elements of batches, one by one."""

    kind = "UnbatchDataset"

    def __init__(self, source: Node) -> None:
        super().__init__([source], source.structure.map_leaves(sliced_spec))
        sizes = sorted(set(self._sizes()))
        if len(sizes) > 1:
            message = "Dataset.unbatch: all components of an element must have as many rows, got"
            raise ValueError(f"{message} {' and '.join(map(str, sizes))}.")

    def _sizes(self) -> Iterator[int]:
        """The numbers of rows that are known, of each component."""
        for leaf in self.input.structure.leaves:
            shape = rows_of(leaf)
            if shape is not None and shape.rank and shape[0] is not None:
                yield shape[0]

    def make(self, run: Run) -> Stage:
        return _Unbatch(self, run.build(self.input))

    def cardinality(self) -> int:
        size = self.input.cardinality()
        if size < 0:
            return size
        return UNKNOWN if self.rows is None else size * self.rows

    @property
    def rows(self) -> int | None:
        """How many rows each element has, if that is known."""
        return next(self._sizes(), None)


class _Unbatch(SourcedStage):
    kept = ("_count", "_rows")

    def __init__(self, node: Unbatch, source: Any) -> None:
        self._node = node
        self._source = source
        self._whole = node.input.structure
        self._rows: list[Values] = []  # in reverse
        self._count = 0

    def __next__(self) -> Values:
        while not self._rows:
            values = next(self._source)
            try:
                self._rows = self._split(values)
            except Exception as error:
                raise located(error, self._node, self._count) from error
            self._count += 1
        self.made += 1
        return self._rows.pop()

    def _split(self, values: Values) -> list[Values]:
        if self._whole.plain:
            sizes = {np.shape(v)[0] if np.ndim(v) else None for v in values}
            if len(sizes) != 1 or None in sizes:
                shapes = ", ".join(str(list(np.shape(v))) for v in values)
                raise invalid(f"Input components must have the same first dimension, got {shapes}.")
            count = sizes.pop() or 0
            return [[row(v, i) for v in values] for i in reversed(range(count))]
        rows = sliced(self._whole, values)
        rows.reverse()
        return rows


class Rebatch(Batch):
    """The rows of batches in batches of another size; how many these are is not told."""

    def __init__(self, source: Unbatch, size: Any, drop_remainder: Any) -> None:
        super().__init__(source, size, drop_remainder)
        self.kind = "RebatchDataset"
        self.structure = source.structure.map_leaves(
            lambda s: batched_spec(s, whole_batches(source, size, drop_remainder))
        )

    def cardinality(self) -> int:
        return UNKNOWN


def whole_batches(source: Unbatch, size: Any, drop_remainder: Any) -> int | None:
    """The size of all batches, if none may be smaller."""
    known = known_number(size)
    if known is None or known_number(drop_remainder):
        return known
    return known if source.rows is not None and source.rows % known == 0 else None


class BatchesOf(Node):
    """Batches of sizes that come in turn."""

    kind = "RebatchDataset"

    def __init__(self, source: Node, sizes: list[int], drop_remainder: bool) -> None:
        self.sizes, self.drop = [checked_size(size) for size in sizes], drop_remainder
        static = None
        if isinstance(source, Unbatch) and len({*sizes}) == 1:
            static = whole_batches(source, sizes[0], drop_remainder)
        super().__init__([source], source.structure.map_leaves(lambda s: batched_spec(s, static)))

    def make(self, run: Run) -> Stage:
        return _BatchesOf(self, run.build(self.input))


class _BatchesOf(SourcedStage):
    kept = ("_turn",)

    def __init__(self, node: BatchesOf, source: Any) -> None:
        self._node, self._source = node, source
        self._turn = 0

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._turn

    def __next__(self) -> Values:
        node = self._node
        size = node.sizes[self._turn % len(node.sizes)]
        rows: list[Values] = []
        for values in self._source:
            rows.append(values)
            if len(rows) == size:
                break
        if not rows or (node.drop and len(rows) < size):
            raise StopIteration
        self._turn += 1
        return stack_rows(node.input.structure, rows)
