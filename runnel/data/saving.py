"""`Dataset.save` and `load`, `snapshot`, and caches in files."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from runnel.core import dtypes
from runnel.core.errors import InvalidArgumentError
from runnel.core.type_spec import TensorSpec
from runnel.data.base import made
from runnel.data.dataset_spec import DatasetSpec
from runnel.data.files import Saved, Writer, is_finished
from runnel.data.fingerprints import fingerprint
from runnel.data.functions import UserFunction
from runnel.data.node import INFINITE, DatasetValue, Node, Run, Stage, State, Values, located
from runnel.data.resuming import Progress
from runnel.data.sources import FromValues
from runnel.data.structure import Structure

_COMPRESSIONS = {None: "", "": "", "NONE": "", "GZIP": "GZIP", "AUTO": "", "SNAPPY": "GZIP"}


def compression_of(name: Any) -> str:
    """Whether elements are compressed; Snappy, which is not here, becomes GZIP."""
    if name not in _COMPRESSIONS:
        raise ValueError(f"`compression` must be None, 'AUTO', 'SNAPPY' or 'GZIP', got {name!r}.")
    return _COMPRESSIONS[name]


def shard_function(shard_func: Callable[..., Any] | None, structure: Structure) -> Any:
    if shard_func is None:
        return None
    function = UserFunction(shard_func, structure, name="save")
    spec = function.output.spec
    if not isinstance(spec, TensorSpec) or spec.dtype is not dtypes.int64:
        raise TypeError(f"`shard_func` must return an int64 scalar, got {spec}.")
    return function


def save(
    dataset: Any, path: str, compression: Any, shard_func: Any, checkpoint_args: Any = None
) -> None:
    """See `Dataset.save`."""
    node = dataset._node
    if node.cardinality() == INFINITE:
        raise ValueError("Dataset.save: the dataset is infinite; use Dataset.take first.")
    sharding = shard_function(shard_func, node.structure)
    writer = Writer(path, node.structure, compression_of(compression))
    iterator = iter(dataset)
    progress = None if checkpoint_args is None else Progress(iterator, writer, checkpoint_args)
    held = iterator._resource()
    try:
        while (values := held.advance()) is not None:
            writer.write(values, 0 if sharding is None else int(sharding(values)[0]))
            if progress is not None:
                progress.step()
    except BaseException:
        if progress is None or not progress.saved:
            writer.abandon()
        raise
    writer.finish()


class Load(Node):
    """The elements that `save` has written."""

    kind = "LoadDataset"

    def __init__(self, path: str, structure: Structure | None, shards: tuple[int, ...] | None):
        self.path = path
        self.saved = Saved(path)
        structure = structure or Structure(self.saved.element_spec())
        super().__init__((), structure)
        self.shards = shards

    def make(self, run: Run) -> Stage:
        order = sorted(self.saved.shards) if self.shards is None else list(self.shards)
        return _Load(self.saved, order)

    def cardinality(self) -> int:
        shards = self.saved.shards
        return sum(shards[s] for s in (shards if self.shards is None else self.shards))


class _Load(Stage):
    """Shards in turn, an element of each, as they were written."""

    def __init__(self, saved: Saved, order: list[int]) -> None:
        self._saved = saved
        self._order = order
        self._taken = dict.fromkeys(order, 0)
        self._readers: dict[int, Any] = {}
        self._turn = 0

    def __next__(self) -> Values:
        while self._order:
            shard = self._order[self._turn % len(self._order)]
            reader = self._readers.get(shard)
            if reader is None:
                reader = self._readers[shard] = self._saved.read(shard, self._taken[shard])
            try:
                values: Values = next(reader)
            except StopIteration:
                place = self._turn % len(self._order)
                del self._order[place]
                self._turn = place
                continue
            self._taken[shard] += 1
            self._turn += 1
            return values
        raise StopIteration

    def save(self) -> State:
        taken = [[shard, count] for shard, count in self._taken.items()]
        return [self._order, self._turn, taken]

    def restore(self, state: State) -> None:
        self._order, self._turn, taken = state
        self._taken = dict(taken)
        self._readers = {}


class Kept(Node):
    """Elements that the first complete iteration writes to disk, and later ones read from there."""

    def __init__(
        self,
        source: Node,
        path: str,
        kind: str,
        compression: str = "",
        sharding: Any = None,
        reader: UserFunction | None = None,
    ) -> None:
        super().__init__([source], source.structure)
        self.kind = kind
        self.path = path
        self.compression = compression
        self.sharding, self.reader = sharding, reader

    def make(self, run: Run) -> Stage:
        if is_finished(self.path):
            if self.reader is not None:
                return run.build(self._read())  # type: ignore[no-any-return]
            saved = Saved(self.path)
            return _Load(saved, sorted(saved.shards))
        return _Writing(self, run.build(self.input))

    def _read(self) -> Node:
        """The dataset that the user's reader makes of the shards."""
        assert self.reader is not None
        shards = _shards(self.path, self.structure)
        return self.reader([DatasetValue(shards)])[0].node  # type: ignore[no-any-return]

    def cardinality(self) -> int:
        return self.input.cardinality()


class _Writing(Stage):
    def __init__(self, node: Kept, source: Any) -> None:
        self._node, self._source = node, source
        self._writer: Writer | None = Writer(node.path, node.structure, node.compression)
        self._count = 0
        self._lock = threading.Lock()

    def __next__(self) -> Values:
        try:
            values: Values = next(self._source)
        except StopIteration:
            if self._writer is not None:
                self._writer.finish()
                self._writer = None
            raise
        if self._writer is not None:
            self._writer.write(values, self._shard(values))
        self._count += 1
        return values

    def _shard(self, values: Values) -> int:
        if self._node.sharding is None:
            return 0
        try:
            return int(self._node.sharding(values)[0])
        except Exception as error:
            raise located(error, self._node, self._count) from error

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
        if self._writer is not None:
            self._writer.abandon()


def snapshot_node(
    source: Node, path: str, compression: Any, shard_func: Any, reader_func: Any = None
) -> Kept:
    """See `Dataset.snapshot`; each pipeline has a folder of its own."""
    if compression not in ("AUTO", "GZIP", "SNAPPY", None, "", "NONE"):
        raise InvalidArgumentError(None, None, f"snapshot: unknown compression {compression!r}.")
    folder = os.path.join(path, f"{fingerprint(source):016x}")
    sharding = shard_function(shard_func, source.structure)
    reader = None if reader_func is None else _reader(reader_func, source.structure)
    return Kept(source, folder, "SnapshotDataset", compression_of(compression), sharding, reader)


def _reader(reader_func: Callable[..., Any], structure: Structure) -> UserFunction:
    shards = Structure(DatasetSpec(DatasetSpec(structure.spec)))
    function = UserFunction(reader_func, shards, name="snapshot")
    found = function.output.spec
    if not isinstance(found, DatasetSpec):
        raise TypeError(f"snapshot: `reader_func` must return a dataset, got {found}.")
    return function


def _shards(path: str, structure: Structure | None) -> FromValues:
    """The shards in a folder as a dataset of datasets."""
    whole = Load(path, structure, None)
    parts = [Load(path, whole.structure, (shard,)) for shard in sorted(whole.saved.shards)]
    spec = Structure(DatasetSpec(whole.structure.spec))
    return FromValues(spec, [[DatasetValue(part)] for part in parts])


def load_node(path: str, element_spec: Any, reader_func: Any) -> Any:
    """See `Dataset.load`."""
    structure = None if element_spec is None else Structure(element_spec)
    if reader_func is None:
        return made(Load(path, structure, None))
    return reader_func(made(_shards(path, structure)))
