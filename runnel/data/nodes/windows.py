"""Datasets as elements: window, and groups by a key."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from runnel.core.values import nest
from runnel.core.values.errors import InvalidArgumentError
from runnel.data.nodes.node import (
    INFINITE,
    UNKNOWN,
    DatasetValue,
    Node,
    Run,
    Stage,
    State,
    Values,
    known_number,
    located,
    number,
)
from runnel.data.nodes.sources import FromValues
from runnel.data.run.functions import UserFunction
from runnel.data.run.parallel import Failure, restored, saved
from runnel.data.run.structure import Structure


class Window(Node):
    """Datasets of elements that follow each other."""

    kind = "WindowDataset"

    def __init__(self, source: Node, spec: Any, size: Any, shift: Any, stride: Any, drop: Any):
        super().__init__([source], Structure(nest.map_structure(spec, source.structure.spec)))
        self.size, self.shift, self.stride, self.drop = size, shift, stride, drop

    def make(self, run: Run) -> Stage:
        size, shift, stride = number(self.size), number(self.shift), number(self.stride)
        for name, value in (("size", size), ("shift", shift), ("stride", stride)):
            if value < 1:
                message = f"Window {name} must be greater than zero, got {value}."
                raise InvalidArgumentError(None, None, message)
        drop = bool(number(self.drop))
        return _Window(run.build(self.input), self.input.structure, size, shift, stride, drop)

    def cardinality(self) -> int:
        total = self.input.cardinality()
        given = (self.size, self.shift, self.stride, self.drop)
        if total < 0 or any(known_number(n) is None for n in given):
            return total if total < 0 else UNKNOWN
        size, shift, stride, drop = map(number, given)
        if not drop:
            return -(-total // shift)
        return max(0, (total - (size - 1) * stride - 1) // shift + 1)


class _Window(Stage):
    def __init__(
        self, source: Any, structure: Structure, size: int, shift: int, stride: int, drop: bool
    ) -> None:
        self._source = source
        self._leaves = [_leaf_structure(leaf) for leaf in structure.leaves]
        self._widths = structure.widths
        self._shift, self._stride, self._drop = shift, stride, drop
        self._span = (size - 1) * stride + 1
        self._buffer: deque[Values | Failure] = deque()
        self._skip = 0  # elements before the next window, if windows leave gaps
        self._over = False

    def __next__(self) -> Values:
        buffer = self._buffer
        while not self._over and len(buffer) < self._span:
            values: Values | Failure
            try:
                values = next(self._source)
            except StopIteration:
                self._over = True
                break
            except Exception as error:  # of the windows that it would be in
                values = Failure(error)
            if self._skip:
                self._skip -= 1
            else:
                buffer.append(values)
        if not buffer or (self._drop and len(buffer) < self._span):
            raise StopIteration
        window = list(buffer)[: self._span : self._stride]
        for _ in range(min(self._shift, len(buffer))):
            buffer.popleft()
        self._skip = max(0, self._shift - self._span)
        for values in window:
            if isinstance(values, Failure):
                raise values.error
        self.made += 1
        return self._datasets(window)

    def _datasets(self, window: list[Any]) -> Values:
        made: Values = []
        start = 0
        for structure, width in zip(self._leaves, self._widths):
            columns = [values[start : start + width] for values in window]
            made.append(DatasetValue(FromValues(structure, columns)))
            start += width
        return made

    def save(self) -> State:
        return [saved(self._buffer), self._skip, self._over, self._source.save()]

    def restore(self, state: State) -> None:
        buffer, self._skip, self._over, source = state
        self._buffer = deque(restored(buffer))
        self._source.restore(source)


def _leaf_structure(leaf: Any) -> Structure:
    return Structure(leaf)


class GroupByWindow(Node):
    """What a function makes of each group of elements with one key."""

    kind = "GroupByWindowDataset"

    def __init__(
        self, source: Node, key: UserFunction, reduce: UserFunction, size: UserFunction
    ) -> None:
        super().__init__([source], reduce.output.leaves[0]._structure)  # type: ignore[attr-defined]
        self.key, self.reduce, self.size = key, reduce, size
        self.label = key.name

    def make(self, run: Run) -> Stage:
        return _GroupByWindow(self, run)

    def cardinality(self) -> int:
        return INFINITE if self.input.cardinality() == INFINITE else UNKNOWN


class _GroupByWindow(Stage):
    def __init__(self, node: GroupByWindow, run: Run) -> None:
        self._node, self._run = node, run
        self._source = run.build(node.input)
        self._groups: dict[int, list[Values]] = {}
        self._sizes: dict[int, int] = {}
        self._open: Any = None
        self._made_of: Any = None  # the key and the elements of the group that is open
        self._count = 0
        self._over = False

    def __next__(self) -> Values:
        while True:
            if self._open is not None:
                try:
                    values: Values = next(self._open)
                    self.made += 1
                    return values
                except StopIteration:
                    self._open = self._made_of = None
            if not self._over:
                self._gather()
            elif self._groups:
                key = min(self._groups)  # an ordered map in TensorFlow
                self._flush(key)
            else:
                raise StopIteration

    def _gather(self) -> None:
        """Read elements until a group is full, or there are no more."""
        for values in self._source:
            key = self._key(values)
            group = self._groups.setdefault(key, [])
            group.append(values)
            if len(group) >= self._sizes[key]:
                self._flush(key)
                return
        self._over = True

    def _key(self, values: Values) -> int:
        try:
            key = int(self._node.key(values)[0])
            if key not in self._sizes or key not in self._groups:
                self._sizes[key] = int(self._node.size([np.int64(key)])[0])
                if self._sizes[key] <= 0:
                    message = f"Window size must be greater than zero, got {self._sizes[key]}."
                    raise InvalidArgumentError(None, None, message)
        except Exception as error:
            raise located(error, self._node, self._count) from error
        finally:
            self._count += 1
        return key

    def _flush(self, key: int) -> None:
        self._start(key, self._groups.pop(key))

    def _start(self, key: int, group: list[Values]) -> None:
        self._made_of = [key, group]
        node = FromValues(self._node.input.structure, group)
        try:
            made = self._node.reduce([np.int64(key), DatasetValue(node)])[0]
        except Exception as error:
            raise located(error, self._node, self._count) from error
        self._open = self._run.build(made.node)

    def save(self) -> State:
        groups = [[key, group, self._sizes[key]] for key, group in self._groups.items()]
        opened = None if self._open is None else self._open.save()
        return [groups, self._made_of, opened, self._count, self._over, self._source.save()]

    def restore(self, state: State) -> None:
        groups, made_of, opened, self._count, self._over, source = state
        self._groups = {key: group for key, group, _ in groups}
        self._sizes = {key: size for key, _, size in groups}
        if made_of is not None:
            self._start(*made_of)
            self._open.restore(opened)
        self._source.restore(source)
