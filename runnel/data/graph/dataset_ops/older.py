"""Ops of older versions of TensorFlow 2, which make the datasets of newer ones with less said."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.files import files
from runnel.core.op.raw import raw_ops
from runnel.core.op.signature import Arg
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values.dtypes import string
from runnel.core.values.type_spec import TensorSpec
from runnel.data.files.cache_files import CacheFile
from runnel.data.graph.dataset_ops import files as _files  # noqa: F401  (declares ops)
from runnel.data.graph.dataset_ops import functions as _functions  # noqa: F401
from runnel.data.graph.dataset_ops import sources as _sources  # noqa: F401
from runnel.data.graph.dataset_ops import steps as _steps  # noqa: F401
from runnel.data.graph.dataset_ops import variants as _variants  # noqa: F401
from runnel.data.nodes.caching import Cache
from runnel.data.nodes.combining import Interleave
from runnel.data.nodes.mapping import Map
from runnel.data.nodes.node import Node
from runnel.data.nodes.shuffling import Shuffle
from runnel.data.nodes.sources import FromSlices
from runnel.data.nodes.taking import Repeat
from runnel.data.run.structure import Structure
from runnel.graph.build.func_graph import FuncGraph
from .declaring import METADATA, TYPES, dataset_of, dataset_op, declared, function, returned, text

_SOURCE = "input_dataset: variant"
_CAPTURES = f"{_SOURCE}, other_arguments: *Targuments"
_TAG = f"{_SOURCE}, tag: string"


@dataset_op("NonSerializableDataset", _SOURCE, TYPES)
@dataset_op("ExperimentalNonSerializableDataset", _SOURCE, TYPES)
@dataset_op("BytesProducedStatsDataset", _TAG, TYPES)
@dataset_op("ExperimentalBytesProducedStatsDataset", _TAG, TYPES)
@dataset_op("LatencyStatsDataset", _TAG, TYPES)
@dataset_op("ExperimentalLatencyStatsDataset", _TAG, TYPES)
@dataset_op(
    "OptimizeDataset",
    f"{_SOURCE}, optimizations: string",
    TYPES,
    "optimization_configs: tuple[str, ...] = ()",
)
def _same(source: Node, *hints: Any, **attrs: Any) -> Node:
    """What changes nothing about the elements; statistics have nobody who gathers them."""
    return source


@dataset_op("ChooseFastestDataset", "input_datasets: N*variant", "num_experiments: int", TYPES)
@dataset_op(
    "ExperimentalChooseFastestDataset", "input_datasets: N*variant", "num_experiments: int", TYPES
)
def _first(sources: list[Node], **attrs: Any) -> Node:
    """One of several datasets of the same elements."""
    return sources[0]


@dataset_op("CacheDataset", f"{_SOURCE}, filename: string", TYPES, METADATA, effects="writes files")
def _cache(source: Node, filename: Any, **attrs: Any) -> Node:
    path = text(filename)
    return CacheFile(source, path) if path else Cache(source)


_SEEDS = f"{_SOURCE}, buffer_size: int64, seed: int64, seed2: int64"
_AGAIN = "reshuffle_each_iteration: bool = True"


@dataset_op("ShuffleDataset", _SEEDS, _AGAIN, TYPES, METADATA)
def _shuffle(
    source: Node, size: Any, seed: Any, seed2: Any, *, reshuffle_each_iteration: bool, **attrs: Any
) -> Node:
    return Shuffle(source, int(size), (int(seed), int(seed2)), reshuffle_each_iteration)


@dataset_op("ShuffleAndRepeatDataset", f"{_SEEDS}, count: int64", TYPES, _AGAIN, METADATA)
def _shuffle_and_repeat(
    source: Node, size: Any, seed: Any, seed2: Any, count: Any, **attrs: Any
) -> Node:
    return Repeat(_shuffle(source, size, seed, seed2, **attrs), int(count))


@dataset_op(
    "ShuffleDatasetV2",
    f"{_SOURCE}, buffer_size: int64, seed_generator: resource",
    TYPES,
    METADATA,
    stateful=True,
)
def _shuffle_by(source: Node, size: Any, generator: Any, **attrs: Any) -> Node:
    made = Shuffle(source, int(size), (0, 0), True)
    made.seeds = getattr(generator, "seeds", made.seeds)
    return made


@dataset_op(
    "ParallelMapDataset",
    f"{_CAPTURES}, num_parallel_calls: int32",
    "f: FuncGraph",
    TYPES,
    "use_inter_op_parallelism: bool = True, sloppy: bool = False",
    "preserve_cardinality: bool = False",
    METADATA,
)
def _map(
    source: Node, captured: list[Any], calls: Any, *, f: FuncGraph, sloppy: bool, **attrs: Any
) -> Node:
    made = function(f, captured, [source.structure], returned(f))
    return Map(source, made, int(calls), deterministic=not sloppy)


def _interleaved(
    source: Node, captured: list[Any], cycle: Any, block: Any, f: FuncGraph, sloppy: Any, out: Any
) -> Node:
    made = function(f, captured, [source.structure], dataset_of(out))
    return Interleave(source, made, int(cycle), int(block), int(cycle), not bool(sloppy))


@dataset_op(
    "ParallelInterleaveDatasetV2",
    f"{_CAPTURES}, cycle_length: int64, block_length: int64, num_parallel_calls: int64",
    "f: FuncGraph",
    TYPES,
    "sloppy: bool = False",
    METADATA,
)
def _interleave_v2(
    source: Node,
    captured: list[Any],
    cycle: Any,
    block: Any,
    calls: Any,
    *,
    f: FuncGraph,
    sloppy: bool,
    out: Structure,
    **attrs: Any,
) -> Node:
    return _interleaved(source, captured, cycle, block, f, sloppy, out)


_AHEAD = "buffer_output_elements: int64, prefetch_input_elements: int64"
_SLOPPY = f"{_CAPTURES}, cycle_length: int64, block_length: int64, sloppy: bool, {_AHEAD}"


@dataset_op("ParallelInterleaveDataset", _SLOPPY, "f: FuncGraph", TYPES, METADATA)
@dataset_op("ExperimentalParallelInterleaveDataset", _SLOPPY, "f: FuncGraph", TYPES)
def _interleave(
    source: Node,
    captured: list[Any],
    cycle: Any,
    block: Any,
    sloppy: Any,
    *ahead: Any,
    f: FuncGraph,
    out: Structure,
    **attrs: Any,
) -> Node:
    return _interleaved(source, captured, cycle, block, f, sloppy, out)


def _paths(patterns: Any) -> list[str]:
    found = [p.decode() for p in np.ravel(np.asarray(patterns, object))]
    return sorted({path for pattern in found for path in files.glob(pattern)})


@dataset_op("MatchingFilesDataset", "patterns: string", stateful=True, effects="reads files")
@dataset_op(
    "ExperimentalMatchingFilesDataset", "patterns: string", stateful=True, effects="reads files"
)
def _matching_files(patterns: Any) -> Node:
    names = np.array([path.encode() for path in _paths(patterns)] or [b""], object)
    names = names if names[0] else names[:0]
    paths = EagerTensor(names, string)
    return FromSlices(Structure(TensorSpec(paths.shape, string)), [paths])


# By op: that of which it is an older name, and the attributes and inputs that it lacks.
_OLDER: dict[str, tuple[str, dict[str, Any]]] = {
    "ExperimentalDenseToSparseBatchDataset": ("DenseToSparseBatchDataset", {}),
    "ExperimentalDirectedInterleaveDataset": (
        "DirectedInterleaveDataset",
        {"stop_on_empty_dataset": False},
    ),
    "ExperimentalGroupByWindowDataset": ("GroupByWindowDataset", {}),
    "ExperimentalIgnoreErrorsDataset": ("IgnoreErrorsDataset", {}),
    "ExperimentalMapAndBatchDataset": ("MapAndBatchDataset", {}),
    "ExperimentalMaxIntraOpParallelismDataset": ("MaxIntraOpParallelismDataset", {}),
    "ExperimentalPrivateThreadPoolDataset": ("PrivateThreadPoolDataset", {}),
    "ExperimentalRandomDataset": ("RandomDataset", {}),
    "ExperimentalScanDataset": ("ScanDataset", {"use_default_device": True}),
    "ExperimentalSqlDataset": ("SqlDataset", {}),
    "ExperimentalTakeWhileDataset": ("TakeWhileDataset", {}),
    "ExperimentalUnbatchDataset": ("UnbatchDataset", {}),
    "ExperimentalUniqueDataset": ("UniqueDataset", {}),
    "ExperimentalDatasetCardinality": ("DatasetCardinality", {"cardinality_options": ""}),
    "CSVDataset": ("CSVDatasetV2", {"exclude_cols": np.zeros(0, np.int64)}),
    "ExperimentalCSVDataset": ("CSVDatasetV2", {"exclude_cols": np.zeros(0, np.int64)}),
    "FixedLengthRecordDataset": (
        "FixedLengthRecordDatasetV2",
        {"compression_type": np.array(b"", object)},
    ),
}


def _notation(arg: Arg) -> str:
    kind = f"{arg.number}*{arg.type}" if arg.number else arg.type
    return f"{arg.name}: {'*' if arg.mixed else ''}{kind}"


def _declare_older(name: str, newer: str, filled: dict[str, Any]) -> None:
    base = getattr(raw_ops, newer)
    lacking = [arg.name for arg in base.inputs if arg.name in filled]
    assert lacking == [arg.name for arg in base.inputs][len(base.inputs) - len(lacking) :]
    last = [filled[name] for name in lacking]
    attrs = {key: value for key, value in filled.items() if key in base.kinds}
    shown = {*base.kinds} - {*attrs}
    if name.startswith("Experimental"):
        shown -= {"metadata"}

    def kernel(xp: Any, *values: Any, **given: Any) -> Any:
        known = {"metadata": ""} if "metadata" in base.kinds else {}
        return base.kernel(xp, *values, *last, **{**known, **attrs, **given})

    sides = (
        ", ".join(_notation(arg) for arg in side if arg.name not in lacking)
        for side in (base.inputs, base.outputs)
    )
    parts = [
        f"{key}: {kind}" + (f" = {base.defaults[key]!r}" if key in base.defaults else "")
        for key, kind in base.kinds.items()
        if key in shown
    ]
    options = {"stateful": base.traits.stateful, "effects": base.traits.effects}
    declared(name, " -> ".join(sides), kernel, *parts, shape=base.shape, **options)


for _name, (_newer, _filled) in _OLDER.items():
    _declare_older(_name, _newer, _filled)
