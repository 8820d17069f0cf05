"""Several datasets as one: zip, concatenate, interleave, and a choice among them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.settings.arguments import check_room
from runnel.core.values import nest
from runnel.core.values.errors import invalid
from runnel.data.run.functions import UserFunction
from runnel.data.run.parallel import Ahead, Failure
from runnel.data.run.structure import Structure
from .mapping import opened
from .node import INFINITE, UNKNOWN, Node, Run, Stage, State, Values, known_number, number


class Zip(Node):
    """Elements of several datasets side by side, to the end of the shortest."""

    kind = "ZipDataset"

    def __init__(self, nodes: Sequence[Node], nested: Any) -> None:
        specs = [node.structure.spec for node in nodes]
        super().__init__(nodes, Structure(nest.pack_sequence_as(nested, specs)))

    def make(self, run: Run) -> Stage:
        return _Zip([run.build(node) for node in self.inputs])

    def cardinality(self) -> int:
        sizes = [node.cardinality() for node in self.inputs]
        if UNKNOWN in sizes:
            return UNKNOWN
        finite = [size for size in sizes if size != INFINITE]
        return min(finite) if finite else INFINITE


class _Zip(Stage):
    def __init__(self, sources: list[Any]) -> None:
        self._sources = sources
        self._over = False

    def __next__(self) -> Values:
        if self._over:
            raise StopIteration
        values: Values = []
        failed: Exception | None = None
        for source in self._sources:  # to the last, that they stay in step
            try:
                values += next(source)
            except StopIteration:
                self._over = True
            except Exception as error:
                if not self._over:
                    failed = failed or error
        if failed is not None:
            raise failed
        if self._over:
            raise StopIteration
        self.made += 1
        return values

    def save(self) -> State:
        return [self._over, [source.save() for source in self._sources]]

    def restore(self, state: State) -> None:
        self._over, sources = state
        for source, part in zip(self._sources, sources, strict=True):
            source.restore(part)


class Concatenate(Node):
    """The elements of one dataset and then those of another."""

    kind = "ConcatenateDataset"

    def __init__(self, first: Node, second: Node) -> None:
        try:
            nest.assert_same_structure(first.structure.spec, second.structure.spec)
            spec = nest.map_structure(_joint, first.structure.spec, second.structure.spec)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Dataset.concatenate: elements of {first.structure.spec} and of "
                f"{second.structure.spec} have no type in common: {error}"
            ) from None
        super().__init__([first, second], Structure(spec))

    def make(self, run: Run) -> Stage:
        return _Concatenate(self.inputs, run)

    def cardinality(self) -> int:
        first, second = (node.cardinality() for node in self.inputs)
        if INFINITE in (first, second):
            return INFINITE
        return UNKNOWN if UNKNOWN in (first, second) else first + second


def _joint(a: Any, b: Any) -> Any:
    joint = a.most_specific_common_supertype([b])
    if joint is None:
        raise TypeError(f"{a} and {b} differ.")
    return joint


class _Concatenate(Stage):
    def __init__(self, nodes: Sequence[Node], run: Run) -> None:
        self._nodes, self._run = nodes, run
        self._place = 0
        self._source = run.build(nodes[0])

    def __next__(self) -> Values:
        while True:
            try:
                values: Values = next(self._source)
                self.made += 1
                return values
            except StopIteration:
                if self._place + 1 == len(self._nodes):
                    raise
                self._place += 1
                self._source = self._run.build(self._nodes[self._place])

    def save(self) -> State:
        return [self._place, self._source.save()]

    def restore(self, state: State) -> None:
        place, source = state
        if place != self._place:
            self._place = place
            self._source = self._run.build(self._nodes[place])
        self._source.restore(source)


class Interleave(Node):
    """Elements of several of a function's datasets in turn."""

    kind = "InterleaveDataset"

    def __init__(
        self,
        source: Node,
        function: UserFunction,
        cycle: Any,
        block: Any,
        calls: Any = None,
        deterministic: bool | None = None,
    ) -> None:
        super().__init__([source], function.output.leaves[0]._structure)  # type: ignore[attr-defined]
        _check_sizes(known_number(cycle), known_number(block))
        self.function = function
        self.cycle, self.size, self.calls = cycle, block, calls
        self.deterministic = deterministic
        self.label = function.name
        if calls is not None:
            self.kind = "ParallelInterleaveDataset"

    def make(self, run: Run) -> Stage:
        cycle, size = number(self.cycle), number(self.size)
        _check_sizes(cycle, size)
        if cycle == -1:
            cycle = len(os.sched_getaffinity(0))
        threads = self.calls is not None and run.threads
        ordered = run.deterministic if self.deterministic is None else self.deterministic
        stage = _Interleave(self, run, cycle, size, threads=threads)
        stage.ordered = ordered or not threads
        return stage

    def cardinality(self) -> int:
        endless = self.calls is not None and self.input.cardinality() == INFINITE
        return INFINITE if endless else UNKNOWN


def _check_sizes(cycle: int | None, size: int | None) -> None:
    """Complain about a length that is known and not positive; -1 is for any cycle."""
    if (cycle is not None and cycle < 1 and cycle != -1) or (size is not None and size < 1):
        lengths = f"{cycle} and {size}"
        message = f"interleave: cycle_length and block_length must be positive, got {lengths}."
        raise invalid(message)


class _Open:
    """A dataset of the cycle: what it was made of, and its stage."""

    def __init__(self, values: Values | None, stage: Any) -> None:
        self.values = values  # None where it could not be made
        self.stage = stage


class _Unopened(Stage):
    """Stands for a dataset that could not be made: its error, once."""

    ready = True

    def __init__(self, failure: Failure | None) -> None:
        self._failure = failure

    def __next__(self) -> Values:
        failure, self._failure = self._failure, None
        raise StopIteration if failure is None else failure.error

    def save(self) -> State:
        return None if self._failure is None else self._failure.save()


class _Interleave(Stage):
    ordered = True  # whether to wait for a dataset whose turn it is

    def __init__(self, node: Interleave, run: Run, cycle: int, size: int, *, threads: bool) -> None:
        self._node, self._run = node, run
        self._source = run.build(node.input)
        self._size = size
        self._threads = threads
        self._parallel = node.calls is not None  # an error takes the place of an element
        self.apart = "inputs" if threads else None
        self._count = 0
        known = node.input.cardinality()
        cycle = min(cycle, max(known, 1)) if known >= 0 else cycle  # no more are ever open
        check_room("interleave", (cycle,), 8)
        self._cycle: list[_Open | None] = [None] * cycle
        self._turn = 0
        self._taken = 0  # of the block of whose turn it is
        self._over = False

    def __next__(self) -> Values:
        while True:
            open_ = self._cycle[self._turn]
            if open_ is not None and not self.ordered:
                open_ = self._ready(open_)
            if open_ is not None:
                try:
                    values: Values = next(open_.stage)
                except StopIteration:
                    self._cycle[self._turn] = None
                    self._advance()
                    continue
                except Exception:
                    if self._parallel:
                        self._took_one()
                    raise
                self._took_one()
                self.made += 1
                return values
            if self._over:
                if not any(self._cycle):
                    raise StopIteration
                self._advance()
                continue
            self._fill()

    def _ready(self, open_: _Open) -> _Open:
        """The dataset whose turn it is, or one that has an element now."""
        if open_.stage.ready:
            return open_
        for place, other in enumerate(self._cycle):
            if other is not None and other.stage.ready:
                self._turn, self._taken = place, 0
                return other
        return open_

    def _took_one(self) -> None:
        self._taken += 1
        if self._taken == self._size:
            self._advance()

    def _advance(self) -> None:
        self._turn = (self._turn + 1) % len(self._cycle)
        self._taken = 0

    def _fill(self) -> None:
        """Open datasets: at this place, or with threads at all that are free, to work ahead."""
        places = [self._turn]
        if self._threads and not any(self._cycle):
            places = [(self._turn + i) % len(self._cycle) for i in range(len(self._cycle))]
        for place in places:
            try:
                opened_ = self._cycle[place] = self._open(next(self._source))
                if self._threads:
                    opened_.stage.begin()
            except StopIteration:
                self._over = True
                return
            except Exception as error:
                if not self._parallel:
                    raise
                self._cycle[place] = _Open(None, _Unopened(Failure(error)))

    def _open(self, values: Values) -> _Open:
        stage = self._run.build(opened(self._node, values, self._count))
        self._count += 1
        return _Open(values, Ahead(stage, max(8, self._size)) if self._threads else stage)

    def save(self) -> State:
        cycle = [None if o is None else [o.values, o.stage.save()] for o in self._cycle]
        place = [self._turn, self._taken, self._over, self._count]
        return [place, cycle, self._source.save()]

    def restore(self, state: State) -> None:
        place, cycle, source = state
        self._source.restore(source)
        for i, part in enumerate(cycle):
            if part is None:
                continue
            if part[0] is None:
                self._cycle[i] = _Open(None, _Unopened(part[1] and Failure.restored(part[1])))
            else:
                self._cycle[i] = self._open(part[0])
                self._cycle[i].stage.restore(part[1])  # type: ignore[union-attr]
        self._turn, self._taken, self._over, self._count = place


class Choose(Node):
    """At each step the next element of the dataset that a selector names."""

    kind = "DirectedInterleaveDataset"

    def __init__(self, selector: Node, nodes: Sequence[Node], *, stop_on_empty: bool) -> None:
        spec = nodes[0].structure.spec
        for node in nodes[1:]:
            try:
                spec = nest.map_structure(_joint, spec, node.structure.spec)
            except (TypeError, ValueError):
                raise TypeError(
                    f"All datasets must have elements of one type, got {spec} and "
                    f"{node.structure.spec}."
                ) from None
        super().__init__([selector, *nodes], Structure(spec))
        self.stop_on_empty = stop_on_empty

    def make(self, run: Run) -> Stage:
        return _Choose([run.build(node) for node in self.inputs], self.stop_on_empty)

    def cardinality(self) -> int:
        endless = any(node.cardinality() == INFINITE for node in self.inputs[1:])
        return INFINITE if endless else UNKNOWN  # as TensorFlow counts, whoever ends first


class _Choose(Stage):
    def __init__(self, sources: list[Any], stop_on_empty: bool) -> None:
        self._selector, *self._sources = sources
        self._left = len(self._sources)
        self._stop = stop_on_empty

    def __next__(self) -> Values:
        while self._left:
            choice = int(np.ravel(next(self._selector)[0])[0])
            if not 0 <= choice < len(self._sources):
                raise invalid(
                    f"Selector index out of range: {choice} not in [0, {len(self._sources)})."
                )
            if self._sources[choice] is None:
                continue
            try:
                values: Values = next(self._sources[choice])
                self.made += 1
                return values
            except StopIteration:
                if self._stop:
                    self._left = 0
                    break
                self._sources[choice] = None
                self._left -= 1
        raise StopIteration

    def save(self) -> State:
        sources = [None if s is None else s.save() for s in self._sources]
        return [self._left, self._selector.save(), sources]

    def restore(self, state: State) -> None:
        self._left, selector, sources = state
        self._selector.restore(selector)
        for i, part in enumerate(sources):
            if part is None:
                self._sources[i] = None
            else:
                self._sources[i].restore(part)
