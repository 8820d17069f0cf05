"""Elements kept on disk, as TensorFlow's ops: `save`, `load` and `snapshot`."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from runnel.core.op.raw import raw_ops
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.types import Namespace
from runnel.data.dataset.arguments import AUTOTUNE
from runnel.data.files.saving import (
    Load,
    Save,
    Snapshot,
    compression_of,
    reader_function,
    shard_function,
    shards_of,
)
from runnel.data.graph.dataset_ops.declaring import (
    METADATA,
    TYPES,
    Writer,
    dataset_of,
    dataset_op,
    declared,
    function,
    node_in,
    returned,
    text,
    written,
)
from runnel.data.graph.ops import IteratorResource
from runnel.data.nodes.node import Node
from runnel.data.run.structure import Structure
from runnel.graph.build.func_graph import FuncGraph

_SOURCE = "input_dataset: variant, path: string"
_READER = "reader_func_other_args: *Treader_func_args"
_SHARDS = "shard_func_other_args: *Tshard_func_args"
_COMPRESSION = "compression: str = ''"
_SAVE = "shard_func: FuncGraph, use_shard_func: bool = True"


def _write_reader(node: Load | Snapshot, to: Writer) -> Any:
    return to.function(node.reader or _every_shard(node.structure))


def _every_shard(structure: Structure) -> Any:
    """What reads shards if the user has not said how: an element of each in turn."""
    count = os.cpu_count()
    return reader_function(
        lambda shards: shards.interleave(lambda x: x, count, num_parallel_calls=AUTOTUNE),
        structure,
        "load",
    )


@dataset_op(
    "LoadDataset",
    f"path: string, {_READER}",
    TYPES,
    f"{_COMPRESSION}, reader_func: FuncGraph",
    stateful=True,
    effects="reads files",
)
def _load(
    path: Any,
    captured: list[Any],
    *,
    out: Structure,
    compression: str,
    reader_func: FuncGraph,
    **attrs: Any,
) -> Node:
    shards = [shards_of(out)]
    reader = function(reader_func, captured, shards, dataset_of(out))
    return Load(text(path), out, compression_of(compression), reader=reader)


@written(Load)
def _write_load(node: Load, to: Writer) -> Any:
    graph, captured = _write_reader(node, to)
    return raw_ops.LoadDataset(
        to.text(node.path),
        captured,
        compression=node.compression,
        reader_func=graph,
        **to.types(node),
    )


@dataset_op(
    "SnapshotDatasetV2",
    f"{_SOURCE}, {_READER}, {_SHARDS}",
    TYPES,
    _COMPRESSION,
    "reader_prefix: str = '', writer_prefix: str = '', hash_valid: bool = False, hash: int = 0",
    "reader_func: FuncGraph, shard_func: FuncGraph",
    METADATA,
    effects="writes files",
)
def _snapshot(
    source: Node,
    path: Any,
    for_reader: list[Any],
    for_shards: list[Any],
    *,
    out: Structure,
    compression: str,
    reader_prefix: str,
    writer_prefix: str,
    reader_func: FuncGraph,
    shard_func: FuncGraph,
    **attrs: Any,
) -> Node:
    if reader_prefix or writer_prefix:
        given = f"{reader_prefix!r} and {writer_prefix!r}"
        want = "`reader_prefix` and `writer_prefix` must be empty"
        raise NotImplementedError(f"SnapshotDatasetV2: {want}, got {given}.")
    shards, out = [shards_of(source.structure)], dataset_of(out)
    return Snapshot(
        source,
        text(path),
        compression_of(compression),
        function(shard_func, for_shards, [source.structure], returned(shard_func)),
        function(reader_func, for_reader, shards, out),
    )


@written(Snapshot)
def _write_snapshot(node: Snapshot, to: Writer) -> Any:
    reader, for_reader = _write_reader(node, to)
    shards, for_shards = to.function(node.sharding or _first_shard(node.structure))
    return raw_ops.SnapshotDatasetV2(
        to.node(node.input),
        to.text(node.path),
        for_reader,
        for_shards,
        compression=node.compression,
        reader_func=reader,
        shard_func=shards,
        **to.types(node),
    )


def _first_shard(structure: Structure) -> Any:
    """What chooses a shard if the user has not said how: there is one."""
    return shard_function(lambda *element: np.int64(0), structure)


@dataset_op(
    "SaveDatasetV2",
    f"{_SOURCE}, {_SHARDS}",
    _COMPRESSION,
    _SAVE,
    TYPES,
    stateful=True,
    effects="writes files",
)
def _save(
    source: Node,
    path: Any,
    captured: list[Any],
    *,
    compression: str,
    shard_func: FuncGraph,
    use_shard_func: bool,
    **attrs: Any,
) -> Node:
    made = (
        function(shard_func, captured, [source.structure], returned(shard_func))
        if use_shard_func
        else None
    )
    return Save(source, text(path), compression_of(compression), made, keep_spec=True)


@written(Save)
def _write_save(node: Save, to: Writer) -> Any:
    graph, captured = to.function(node.sharding or _first_shard(node.structure))
    return raw_ops.SaveDatasetV2(
        to.node(node.input),
        to.text(node.path),
        captured,
        compression=node.compression,
        shard_func=graph,
        use_shard_func=node.sharding is not None,
        **to.types(node),
    )


def _save_at_once(
    xp: Namespace, dataset: Any, path: Any, captured: list[Any], **attrs: Any
) -> None:
    """Write all elements: what iterating over `SaveDatasetV2` does."""
    if attrs["use_shard_func"] and not attrs["shard_func"].outputs:
        raise InvalidArgumentError(None, None, "SaveDataset: `shard_func` returns nothing.")
    iterator = IteratorResource(_save(node_in("SaveDataset", dataset), path, captured, **attrs))
    while iterator.advance() is not None:
        pass


declared(
    "SaveDataset",
    f"{_SOURCE}, {_SHARDS} ->",
    _save_at_once,
    _COMPRESSION,
    _SAVE,
    effects="writes files",
)
