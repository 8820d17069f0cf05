"""Caches in files: `Dataset.cache(filename)`, in the form of TensorFlow's, a tensor bundle.

A tensor's key is the number of its element and its own in the element. The bundle's index is
written last: what a killed run left behind is not read, and the next run starts anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from runnel.core.values.dtypes import variant
from runnel.core.values.errors import DataLossError, InvalidArgumentError, OpError
from runnel.data.files.element_records import dtypes_of, is_dense, parts_of, variants_of
from runnel.data.nodes.node import Node, Run, Stage, State, Values
from runnel.data.run.structure import Structure
from runnel.train.files.bundle_rows import RowReader, RowWriter, is_bundle

_DIGITS = 7  # of an element's number


class CacheFile(Node):
    """Elements that the first complete iteration writes to a file, and later ones read."""

    kind = "CacheDataset"

    def __init__(self, source: Node, path: str) -> None:
        super().__init__([source], source.structure)
        self.path = path

    def make(self, run: Run) -> Stage:
        if is_bundle(self.path):
            return _Cached(self.path, self.structure)
        return _Writing(run.build(self.input), _Writer(self.path, self.structure))

    def cardinality(self) -> int:
        return self.input.cardinality()


class _Writer:
    def __init__(self, path: str, structure: Structure) -> None:
        self._rows = RowWriter(path)
        self._structure = structure
        self._keys = _keys(structure)

    def write(self, values: Values) -> None:
        structure = self._structure
        for leaf, parts in zip(structure.leaves, structure.groups(values)):
            if is_dense(leaf):
                self._rows.add(next(self._keys), parts[0], leaf.dtype)
            elif parts:
                items, shape = variants_of(leaf, parts)
                self._rows.add(next(self._keys), items, variant, shape)

    def finish(self) -> None:
        self._rows.finish()

    def abandon(self) -> None:
        self._rows.abandon()


def _keys(structure: Structure) -> Iterator[str]:
    """The keys of all tensors, in their order; numbers are filled up with spaces."""
    width = len(dtypes_of(structure))
    digits = len(str(width - 1))
    for number in range(10**_DIGITS):
        for place in range(width):
            yield f"{number:{_DIGITS}d}_{place:{digits}d}"
    message = f"A cache in a file can have {10**_DIGITS} elements, and no more."
    raise InvalidArgumentError(None, None, message)


class _Writing(Stage):
    """The elements, which are written down on the way."""

    def __init__(self, source: Any, writer: _Writer) -> None:
        self._source = source
        self._writer: _Writer | None = writer
        self._count = 0

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._count

    def __next__(self) -> Values:
        try:
            values: Values = next(self._source)
        except StopIteration:
            if self._writer is not None:
                writer, self._writer = self._writer, None
                writer.finish()
            raise
        if self._writer is not None:
            self._writer.write(values)
        self._count += 1
        return values

    def save(self) -> State:
        return [self._count, self._source.save()]

    def restore(self, state: State) -> None:
        """The rest of an iteration is not the whole: it is not kept."""
        self._count, source = state
        if self._count and self._writer is not None:
            self._writer.abandon()
            self._writer = None
        self._source.restore(source)

    def __del__(self) -> None:
        if getattr(self, "_writer", None) is not None:
            self._writer.abandon()  # type: ignore[union-attr]


class _Cached(Stage):
    """The elements in a file."""

    def __init__(self, path: str, structure: Structure) -> None:
        self._path, self._structure = path, structure
        self._leaves = [leaf for leaf in structure.leaves if leaf.flatten()]
        self._rows = iter(RowReader(path))
        self._count = 0

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._count

    def __next__(self) -> Values:
        rows = list(itertools.islice(self._rows, len(self._leaves)))
        if not rows:
            raise StopIteration
        try:
            values = self._values(rows)
        except OpError:
            raise
        except Exception as error:  # protobuf has an error class of its own
            raise self._damaged(str(error)) from error
        self._count += 1
        return values

    def _values(self, rows: list[Any]) -> Values:
        wanted = dtypes_of(self._structure)
        if [dtype for _, dtype, _, _ in rows] != wanted:
            names = ", ".join(dtype.name for dtype in wanted)
            raise self._damaged(f"an element must be of {names}")
        values: Values = []
        for leaf, (_, _, shape, value) in zip(self._leaves, rows):
            values += [value] if is_dense(leaf) else parts_of(leaf, value, shape)
        return values

    def _damaged(self, why: str) -> DataLossError:
        message = (
            f"The cache {self._path} does not fit the dataset at element {self._count}: {why}."
        )
        return DataLossError(None, None, message)

    def save(self) -> State:
        return [self._count, None]

    def restore(self, state: State) -> None:
        count, _ = state
        for _ in range(count):
            next(self)
