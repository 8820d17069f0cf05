"""Other ops of TensorFlow's that come to the same: older forms, and what its optimizer leaves."""

from __future__ import annotations

from typing import Any

from runnel.data.nodes.batching import Batch
from runnel.data.nodes.combining import Interleave
from runnel.data.nodes.mapping import Map
from runnel.data.nodes.node import Node
from runnel.data.nodes.shuffling import Shuffle
from runnel.data.nodes.taking import Repeat
from runnel.data.run.structure import Structure
from runnel.graph.build.func_graph import FuncGraph
from .declaring import METADATA, TYPES, choice, dataset_of, dataset_op, function, returned

_SOURCE = "input_dataset: variant"
_CAPTURES = f"{_SOURCE}, other_arguments: *Targuments"


@dataset_op("RewriteDataset", f"{_SOURCE}, rewrite_name: string", TYPES)
@dataset_op("MaxIntraOpParallelismDataset", f"{_SOURCE}, max_intra_op_parallelism: int64", TYPES)
@dataset_op("PrivateThreadPoolDataset", f"{_SOURCE}, num_threads: int64", TYPES)
@dataset_op("FinalizeDataset", _SOURCE, "has_captured_ref: bool = False", TYPES)
@dataset_op(
    "ModelDataset", _SOURCE, "algorithm: int = 0, cpu_budget: int = 0, ram_budget: int = 0", TYPES
)
@dataset_op(
    "OptimizeDatasetV2",
    f"{_SOURCE}, optimizations_enabled: string, optimizations_disabled: string, "
    "optimizations_default: string",
    TYPES,
    "optimization_configs: tuple[str, ...] = ()",
)
def _same(source: Node, *hints: Any, **attrs: Any) -> Node:
    """Hints for TensorFlow's runtime, which change nothing about the elements."""
    return source


@dataset_op(
    "MapAndBatchDataset",
    f"{_CAPTURES}, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool",
    "f: FuncGraph",
    TYPES,
    "preserve_cardinality: bool = False",
    METADATA,
)
def _map_and_batch(
    source: Node,
    captured: list[Any],
    size: Any,
    calls: Any,
    drop: Any,
    *,
    f: FuncGraph,
    **attrs: Any,
) -> Node:
    mapped = Map(source, function(f, captured, [source.structure], returned(f)), int(calls))
    return Batch(mapped, int(size), bool(drop))


@dataset_op(
    "LegacyParallelInterleaveDatasetV2",
    f"{_CAPTURES}, cycle_length: int64, block_length: int64, buffer_output_elements: int64, "
    "prefetch_input_elements: int64",
    "f: FuncGraph, deterministic: str = 'default'",
    TYPES,
    METADATA,
)
@dataset_op(
    "ParallelInterleaveDatasetV3",
    f"{_CAPTURES}, cycle_length: int64, block_length: int64, num_parallel_calls: int64",
    "f: FuncGraph, deterministic: str = 'default'",
    TYPES,
    METADATA,
)
def _interleave(
    source: Node,
    captured: list[Any],
    cycle: Any,
    block: Any,
    *ahead: Any,
    f: FuncGraph,
    deterministic: str,
    out: Structure,
    **attrs: Any,
) -> Node:
    made = function(f, captured, [source.structure], dataset_of(out))
    return Interleave(source, made, int(cycle), int(block), int(cycle), choice(deterministic))


@dataset_op(
    "ShuffleAndRepeatDatasetV2",
    f"{_SOURCE}, buffer_size: int64, seed: int64, seed2: int64, count: int64, "
    "seed_generator: resource",
    "reshuffle_each_iteration: bool = True",
    TYPES,
    METADATA,
    stateful=True,
)
def _shuffle_and_repeat(
    source: Node,
    size: Any,
    seed: Any,
    seed2: Any,
    count: Any,
    generator: Any,
    *,
    reshuffle_each_iteration: bool,
    **attrs: Any,
) -> Node:
    made = Shuffle(source, int(size), (int(seed), int(seed2)), reshuffle_each_iteration)
    made.seeds = getattr(generator, "seeds", made.seeds)
    return Repeat(made, int(count))
