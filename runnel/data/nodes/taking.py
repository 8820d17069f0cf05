"""Part of the elements: take, skip, take_while, shard; and all of them again: repeat."""

from __future__ import annotations

from typing import Any

from runnel.core.values.errors import InvalidArgumentError
from runnel.data.dataset.options import SHARD_HINT
from runnel.data.nodes.node import (
    INFINITE,
    UNKNOWN,
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
from runnel.data.run.functions import UserFunction, truth
from runnel.data.run.structure import Structure


class _Same(Node):
    """A node whose elements are like those of its input."""

    def __init__(self, source: Node) -> None:
        super().__init__([source], source.structure)


class Take(_Same):
    """The first elements."""

    kind = "TakeDataset"

    def __init__(self, source: Node, count: Any) -> None:
        super().__init__(source)
        self.count = count

    def make(self, run: Run) -> Stage:
        count = number(self.count)
        stage = run.build(self.input)
        return stage if count < 0 else _Take(stage, count)

    def cardinality(self) -> int:
        count, size = known_number(self.count), self.input.cardinality()
        if count is None:
            return UNKNOWN
        if count < 0:
            return size
        return count if size == INFINITE else size if size == UNKNOWN else min(size, count)


class _Take(Stage):
    def __init__(self, source: Any, left: int) -> None:
        self._source = source
        self._left = left
        self.blocks = source.blocks

    def __next__(self) -> Values:
        if self._left <= 0:
            self._source = None  # its threads may end
            raise StopIteration
        values: Values = next(self._source)
        self._left -= 1
        self.made += 1
        return values

    def block(self, count: int) -> Values:
        if self._left <= 0:
            raise StopIteration
        values: Values = self._source.block(min(count, self._left))
        self._left -= len(values[0])
        self.made += len(values[0])
        return values

    def save(self) -> State:
        return [self._left, None if self._source is None else self._source.save()]

    def restore(self, state: State) -> None:
        self._left, source = state
        if source is None:
            self._source = None
        else:
            self._source.restore(source)


class Skip(_Same):
    """All elements but the first."""

    kind = "SkipDataset"

    def __init__(self, source: Node, count: Any) -> None:
        super().__init__(source)
        self.count = count

    def make(self, run: Run) -> Stage:
        count = number(self.count)
        if count < 0:  # all of them, of which there may be no end
            return _Take(run.build(self.input), 0)
        return _Skip(run.build(self.input), count)

    def cardinality(self) -> int:
        count, size = known_number(self.count), self.input.cardinality()
        if count is None:
            return UNKNOWN
        if size < 0:
            return size
        return 0 if count < 0 else max(0, size - count)


class _Skip(SourcedStage):
    def __init__(self, source: Any, count: int) -> None:
        self._source = source
        self._count = count
        self.blocks = source.blocks

    def _pass(self) -> None:
        """Pass over the first elements; after an error it begins anew, as TensorFlow does."""
        if hasattr(self._source, "skip"):
            self._source.skip(self._count)
        else:
            for _ in range(self._count):
                next(self._source)
        self._count = 0

    def __next__(self) -> Values:
        if self._count:
            self._pass()
        values: Values = next(self._source)
        self.made += 1
        return values

    def block(self, count: int) -> Values:
        if self._count:
            self._pass()
        values: Values = self._source.block(count)
        self.made += len(values[0])
        return values


class TakeWhile(_Same):
    """The elements before the first that a predicate refuses."""

    kind = "TakeWhileDataset"

    def __init__(self, source: Node, predicate: UserFunction) -> None:
        super().__init__(source)
        self.predicate = predicate
        self.label = predicate.name

    def make(self, run: Run) -> Stage:
        return _TakeWhile(self, run.build(self.input))


class _TakeWhile(SourcedStage):
    kept = ("_over", "_count")

    def __init__(self, node: TakeWhile, source: Any) -> None:
        self._node = node
        self._source = source
        self._count = 0
        self._over = False

    def __next__(self) -> Values:
        if self._over:
            raise StopIteration
        values: Values = next(self._source)
        try:
            going = truth(self._node.predicate(values))
        except Exception as error:
            raise located(error, self._node, self._count) from error
        self._count += 1
        if not going:
            self._over = True
            raise StopIteration
        self.made += 1
        return values


class Shard(_Same):
    """Every so-many-th element, beginning at some place."""

    kind = "ShardDataset"

    def __init__(self, source: Node, num_shards: Any, index: Any) -> None:
        super().__init__(source)
        self.num_shards, self.index = num_shards, index
        known = known_number(num_shards), known_number(index)
        if None not in known and known != (SHARD_HINT, SHARD_HINT):
            self._check()

    def _check(self) -> tuple[int, int]:
        shards, index = number(self.num_shards), number(self.index)
        if shards < 1:
            raise _invalid(f"Number of shards must be greater than zero (currently {shards})")
        if not 0 <= index < shards:
            raise _invalid(f"Index must be between 0 and {shards - 1} (currently {index})")
        return shards, index

    def make(self, run: Run) -> Stage:
        return _Shard(run.build(self.input), *self._check())

    def cardinality(self) -> int:
        size = self.input.cardinality()
        shards, index = known_number(self.num_shards), known_number(self.index)
        if shards is None or index is None:
            return UNKNOWN
        return size if size < 0 else len(range(index, size, shards))


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, f"Dataset.shard: {message}.")


class _Shard(SourcedStage):
    kept = ("_place",)

    def __init__(self, source: Any, shards: int, index: int) -> None:
        self._source = source
        self._shards, self._index = shards, index
        self._place = 0  # elements passed; TensorFlow does not count those that failed

    def __next__(self) -> Values:
        gap = (self._index - self._place) % self._shards
        for _ in range(gap):
            next(self._source)
        self._place += gap
        values: Values = next(self._source)
        self._place += 1
        self.made += 1
        return values


class Repeat(_Same):
    """The elements several times, or without end."""

    kind = "RepeatDataset"

    def __init__(self, source: Node, count: Any) -> None:
        super().__init__(source)
        self.count = count

    def make(self, run: Run) -> Stage:
        return _Repeat(self.input, run, number(self.count))

    def cardinality(self) -> int:
        count, size = known_number(self.count), self.input.cardinality()
        if count is None:
            return UNKNOWN
        if count < 0:
            return size if size in (0, UNKNOWN) and size == 0 else INFINITE
        if count == 0:
            return 0
        return size if size < 0 else size * count


class _Repeat(Stage):
    def __init__(self, node: Node, run: Run, count: int) -> None:
        self._node, self._run = node, run
        self._left = count  # rounds that have not begun; negative for without end
        self._source: Any = None
        self._fresh = True  # this round has given nothing yet
        self._begin()
        self.blocks = self._source is not None and self._source.blocks

    def _begin(self) -> None:
        if self._left == 0:
            self._source = None
            return
        self._left -= 1
        self._source = self._run.build(self._node)
        self._fresh = True

    def _again(self) -> None:
        """Begin the next round; repeating nothing without end, or what has no elements, is over."""
        if self._fresh and (self._left < 0 or self._node.cardinality() == 0):
            self._source = None
            raise StopIteration
        self._begin()

    def __next__(self) -> Values:
        while self._source is not None:
            try:
                values: Values = next(self._source)
            except StopIteration:
                self._again()
                continue
            self._fresh = False
            self.made += 1
            return values
        raise StopIteration

    def block(self, count: int) -> Values:
        while self._source is not None:
            try:
                values: Values = self._source.block(count)
            except StopIteration:
                self._again()
                continue
            self._fresh = False
            self.made += len(values[0])
            return values
        raise StopIteration

    def save(self) -> State:
        return [self._left, self._fresh, None if self._source is None else self._source.save()]

    def restore(self, state: State) -> None:
        self._left, self._fresh, source = state
        if source is None:
            self._source = None
        else:
            if self._source is None:
                self._source = self._run.build(self._node)
            self._source.restore(source)


class OnDevice(_Same):
    """The same elements for a device; the host serves all of them."""

    kind = "CopyToDeviceDataset"

    def make(self, run: Run) -> Stage:
        return run.build(self.input)  # type: ignore[no-any-return]


class Relabelled(Node):
    """The same elements, under other specs with the same flat values."""

    kind = "MapDataset"
    relabels = True

    def __init__(self, source: Node, structure: Structure) -> None:
        super().__init__([source], structure)

    def make(self, run: Run) -> Stage:
        return run.build(self.input)  # type: ignore[no-any-return]

    def cardinality(self) -> int:
        return self.input.cardinality()
