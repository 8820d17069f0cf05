"""`Dataset.save` and `load`, and `snapshot`."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from runnel.core.op.context import state
from runnel.core.settings.progress import Working
from runnel.core.values import dtypes
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.type_spec import TensorSpec
from runnel.data.dataset.arguments import path_of
from runnel.data.dataset.base import made
from runnel.data.dataset.spec import DatasetSpec
from runnel.data.files.resuming import Progress
from runnel.data.files.saved_format import Saved, Writer, is_finished
from runnel.data.graph.fingerprints import fingerprint
from runnel.data.nodes.node import (
    INFINITE,
    UNKNOWN,
    DatasetValue,
    Node,
    Run,
    Stage,
    State,
    Values,
    located,
)
from runnel.data.nodes.sources import FromValues
from runnel.data.run.functions import UserFunction
from runnel.data.run.structure import Structure

_COMPRESSIONS = {None: "", "": "", "NONE": "", "AUTO": ""}


def compression_of(name: Any) -> str:
    """How elements are compressed; if that is left to us, they are not."""
    found = _COMPRESSIONS.get(name, name)
    if found not in ("", "GZIP", "ZLIB", "SNAPPY"):
        raise ValueError(f"`compression` must be None, 'AUTO', 'SNAPPY' or 'GZIP', got {name!r}.")
    return found  # type: ignore[no-any-return]


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
    sharding = shard_function(shard_func, node.structure)
    if state.graph is not None:  # as in TensorFlow, there are no checkpoints on the way
        return _save_in_graph(Save(node, path, compression_of(compression), sharding))
    if node.cardinality() == INFINITE:
        raise ValueError("Dataset.save: the dataset is infinite; use Dataset.take first.")
    writer = Writer(path, node.structure, compression_of(compression))
    iterator = iter(dataset)
    progress = None if checkpoint_args is None else Progress(iterator, writer, checkpoint_args)
    held = iterator._resource()
    try:
        with Working(f"Dataset.save to {path}", node.cardinality(), "elements") as work:
            while (values := held.advance()) is not None:
                writer.write(values, 0 if sharding is None else int(sharding(values)[0]))
                work.done += 1
                if progress is not None:
                    progress.step()
    except BaseException:
        if progress is None or not progress.saved:
            writer.abandon()
        else:
            writer.leave()
        raise
    writer.finish()


def _save_in_graph(node: Save) -> None:
    """A loop that takes all elements, which are written on the way."""
    iter(made(node))._autograph_for(None, lambda element: None, lambda: (), lambda values: None, [])


class Load(Node):
    """The elements that `save` has written: of all shards, or of one, or as `reader` says."""

    kind = "LoadDataset"
    derived = frozenset(["saved"])

    def __init__(
        self,
        path: str,
        structure: Structure | None,
        compression: str,
        shard: int | None = None,
        reader: UserFunction | None = None,
    ) -> None:
        self.path, self.compression, self.shard, self.reader = path, compression, shard, reader
        self.rebound()
        super().__init__((), structure or Structure(self.saved.element_spec()))

    def rebound(self) -> None:
        self.saved = Saved(self.path, self.compression)

    def make(self, run: Run) -> Stage:
        if self.reader is not None:
            return run.build(_read(self.saved, self.structure, self.reader))  # type: ignore[no-any-return]
        shards = self.saved.shards if self.shard is None else [self.shard]
        return _Load(self.saved, self.structure, shards, whole=self.shard is None)

    def cardinality(self) -> int:
        return self.saved.count if self.shard is None else UNKNOWN


class _Load(Stage):
    """Elements of some shards in turn; when one is over, the next shard takes its place.

    Of the `whole`, all shards, it is known how many elements there were.
    """

    def __init__(
        self, saved: Saved, structure: Structure, shards: list[int], *, whole: bool
    ) -> None:
        self._saved, self._structure, self._whole = saved, structure, whole
        self._waiting = list(shards)
        self._cycle: list[int | None] = [None] * min(len(shards), os.cpu_count() or 1)
        self._taken = dict.fromkeys(shards, 0)
        self._readers: dict[int, Any] = {}
        self._turn = 0

    @property
    def made(self) -> int:  # type: ignore[override]
        return sum(self._taken.values())

    def __next__(self) -> Values:
        while self._waiting or any(shard is not None for shard in self._cycle):
            place = self._turn % len(self._cycle)
            shard = self._cycle[place]
            if shard is None and self._waiting:
                shard = self._cycle[place] = self._waiting.pop(0)
            self._turn = place + 1
            if shard is None:
                continue
            try:
                values: Values = next(self._reader(shard))
            except StopIteration:
                self._cycle[place] = None
                del self._readers[shard]
                continue
            self._taken[shard] += 1
            return values
        if self._whole:
            self._saved.check_count(self.made, self._saved.count, self._saved.folder)
        raise StopIteration

    def _reader(self, shard: int) -> Any:
        if shard not in self._readers:
            reader = self._saved.read(self._structure, shard, self._taken[shard])
            self._readers[shard] = reader
        return self._readers[shard]

    def save(self) -> State:
        taken = [[shard, count] for shard, count in self._taken.items()]
        return [self._waiting, self._cycle, self._turn, taken]

    def restore(self, state: State) -> None:
        self._waiting, self._cycle, self._turn, taken = state
        self._taken = dict(taken)
        self._readers = {}


class Save(Node):
    """Elements that are written to disk on the way.

    In a loaded graph they have lost their names, which an element spec in the folder may have:
    `keep_spec` leaves it there.
    """

    kind = "SaveDataset"
    name = ""  # that stands beside the elements

    def __init__(
        self, source: Node, path: str, compression: str, sharding: Any, keep_spec: bool = False
    ) -> None:
        super().__init__([source], source.structure)
        self.path, self.compression, self.sharding = path, compression, sharding
        self.keep_spec = keep_spec

    @property
    def folder(self) -> str:
        return self.path

    def make(self, run: Run) -> Stage:
        return _Writing(self, run.build(self.input))

    def cardinality(self) -> int:
        return self.input.cardinality()


class Snapshot(Save):
    """Elements that the first complete iteration writes to disk, and later ones read from there.

    The path may be a tensor; in it each pipeline has a folder of its own.
    """

    kind = "SnapshotDataset"
    derived = frozenset(["name"])

    def __init__(
        self, source: Node, path: Any, compression: str, sharding: Any, reader: UserFunction | None
    ) -> None:
        super().__init__(source, path, compression, sharding)
        self.reader = reader

    def rebound(self) -> None:
        self.name = ""

    @property
    def folder(self) -> str:
        if not self.name:
            self.name = str(fingerprint(self.input))
        return os.path.join(path_of(self.path), self.name)

    def make(self, run: Run) -> Stage:
        if not is_finished(self.folder):
            return super().make(run)
        saved = Saved(self.folder, self.compression)
        if self.reader is not None:
            return run.build(_read(saved, self.structure, self.reader))  # type: ignore[no-any-return]
        return _Load(saved, self.structure, saved.shards, whole=True)


class _Writing(Stage):
    def __init__(self, node: Save, source: Any) -> None:
        self._node, self._source = node, source
        self._writer: Writer | None = Writer(
            node.folder, node.structure, node.compression, node.name, keep_spec=node.keep_spec
        )
        self._count = 0
        self._lock = threading.Lock()

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._count

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
        if getattr(self, "_writer", None) is not None:
            self._writer.abandon()  # type: ignore[union-attr]


def snapshot_node(
    source: Node, path: Any, compression: Any, shard_func: Any, reader_func: Any = None
) -> Snapshot:
    """See `Dataset.snapshot`."""
    if compression not in ("AUTO", "GZIP", "SNAPPY", None, "", "NONE"):
        raise InvalidArgumentError(None, None, f"snapshot: unknown compression {compression!r}.")
    sharding = shard_function(shard_func, source.structure)
    reader = reader_function(reader_func, source.structure, "snapshot")
    return Snapshot(source, path, compression_of(compression), sharding, reader)


def load_node(path: str, element_spec: Any, compression: str, reader_func: Any) -> Load:
    """See `Dataset.load`."""
    structure = None if element_spec is None else Structure(element_spec)
    node = Load(path, structure, compression)
    node.reader = reader_function(reader_func, node.structure, "load")
    return node


def reader_function(
    reader_func: Callable[..., Any] | None, structure: Structure, name: str
) -> UserFunction | None:
    """The user's function from shards to the dataset that is read."""
    if reader_func is None:
        return None
    function = UserFunction(reader_func, shards_of(structure), name=name)
    found = function.output.spec
    if not isinstance(found, DatasetSpec):
        raise TypeError(f"{name}: `reader_func` must return a dataset, got {found}.")
    return function


def shards_of(structure: Structure) -> Structure:
    """The structure of a dataset of shards, each a dataset of such elements."""
    return Structure(DatasetSpec(DatasetSpec(structure.spec)))


def _read(saved: Saved, structure: Structure, reader: UserFunction) -> Node:
    """The dataset that the user's reader makes of the shards."""
    kind, numbers = saved.compression, saved.shards
    shards = [DatasetValue(Load(saved.path, structure, kind, number)) for number in numbers]
    whole = FromValues(Structure(DatasetSpec(structure.spec)), [[shard] for shard in shards])
    return reader([DatasetValue(whole)])[0].node  # type: ignore[no-any-return]
