"""Steps of a pipeline that take no function, as TensorFlow's ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.op.raw import raw_ops
from runnel.core.state.resource import Resource
from runnel.core.tensor.convert import convert_to_tensor, emit
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import int64
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec
from runnel.data.dataset.spec import DatasetSpec
from runnel.data.files.cache_files import CacheFile
from runnel.data.graph.dataset_ops.declaring import (
    METADATA,
    TYPES,
    Writer,
    dataset_op,
    declared,
    eager_tensors,
    text,
    types_of,
    written,
)
from runnel.data.graph.element_tensors import decode, encode, is_plain, tensor_specs
from runnel.data.nodes.batching import Batch, BatchesOf, Rebatch, Unbatch
from runnel.data.nodes.caching import Cache
from runnel.data.nodes.combining import Choose, Concatenate, Zip
from runnel.data.nodes.errors import AssertCardinality, IgnoreErrors, Unique
from runnel.data.nodes.mapping import Enumerate, Map
from runnel.data.nodes.node import Node
from runnel.data.nodes.padding import PaddedBatch, SparseBatch
from runnel.data.nodes.shuffling import Seeds, Shuffle
from runnel.data.nodes.taking import OnDevice, Relabelled, Repeat, Shard, Skip, Take
from runnel.data.nodes.windows import Window
from runnel.data.run.functions import UserFunction
from runnel.data.run.parallel import Prefetch
from runnel.data.run.structure import Structure
from runnel.graph.control.subgraphs import trace

_SOURCE = "input_dataset: variant"
_LARGEST = np.iinfo(np.int64).max


@dataset_op("TakeDataset", f"{_SOURCE}, count: int64", TYPES, METADATA)
def _take(source: Node, count: Any, **attrs: Any) -> Node:
    return Take(source, int(count))


@written(Take)
def _write_take(node: Take, to: Writer) -> Any:
    return raw_ops.TakeDataset(to.node(node.input), to.int64(node.count), **to.types(node))


@dataset_op("SkipDataset", f"{_SOURCE}, count: int64", TYPES, METADATA)
def _skip(source: Node, count: Any, **attrs: Any) -> Node:
    return Skip(source, int(count))


@written(Skip)
def _write_skip(node: Skip, to: Writer) -> Any:
    return raw_ops.SkipDataset(to.node(node.input), to.int64(node.count), **to.types(node))


@dataset_op("RepeatDataset", f"{_SOURCE}, count: int64", TYPES, METADATA)
def _repeat(source: Node, count: Any, **attrs: Any) -> Node:
    return Repeat(source, int(count))


@written(Repeat)
def _write_repeat(node: Repeat, to: Writer) -> Any:
    return raw_ops.RepeatDataset(to.node(node.input), to.int64(node.count), **to.types(node))


@dataset_op(
    "ShardDataset",
    f"{_SOURCE}, num_shards: int64, index: int64",
    "require_non_empty: bool = False",
    TYPES,
    METADATA,
)
def _shard(source: Node, num_shards: Any, index: Any, **attrs: Any) -> Node:
    return Shard(source, int(num_shards), int(index))


@written(Shard)
def _write_shard(node: Shard, to: Writer) -> Any:
    numbers = to.int64(node.num_shards), to.int64(node.index)
    return raw_ops.ShardDataset(to.node(node.input), *numbers, **to.types(node))


@written(OnDevice)
def _write_on_device(node: OnDevice, to: Writer) -> Any:
    return to.node(node.input)  # a function runs where its caller says


@written(Relabelled)
def _write_relabelled(node: Relabelled, to: Writer) -> Any:
    source = to.node(node.input)
    before = [spec.dtype for spec in tensor_specs(node.input.structure)]
    if before == [spec.dtype for spec in tensor_specs(node.structure)]:
        return source
    return _recoded(source, node.input.structure, node.structure)


def _recoded(source: Tensor, before: Structure, after: Structure, *, rows: bool = False) -> Any:
    """A dataset whose elements are laid out in another way."""
    specs = tensor_specs(before)
    graph = trace(
        lambda *given: encode(after, decode(before, given), rows=rows),
        "layout",
        specs,  # type: ignore[arg-type]
    )
    kinds = tuple(t.dtype for t in graph.outputs)
    shapes = tuple(t.shape for t in graph.outputs)
    return raw_ops.MapDataset(
        source, [], f=graph, output_types=kinds, output_shapes=shapes, preserve_cardinality=True
    )


@dataset_op(
    "BatchDatasetV2",
    f"{_SOURCE}, batch_size: int64, drop_remainder: bool",
    "parallel_copy: bool = False",
    TYPES,
    METADATA,
)
def _batch(source: Node, batch_size: Any, drop_remainder: Any, **attrs: Any) -> Node:
    return Batch(source, int(batch_size), bool(drop_remainder))


@dataset_op(
    "ParallelBatchDataset",
    f"{_SOURCE}, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool",
    "parallel_copy: bool = False",
    TYPES,
    "deterministic: str = 'default'",
    METADATA,
)
def _parallel_batch(source: Node, size: Any, calls: Any, drop: Any, **attrs: Any) -> Node:
    return Batch(source, int(size), bool(drop), int(calls))


@written(Rebatch)
@written(Batch)
def _write_batch(node: Batch, to: Writer) -> Any:
    source, size = to.node(node.input), to.int64(node.size)
    drop = to.boolean(node.drop_remainder)
    if node.calls is None:
        return raw_ops.BatchDatasetV2(source, size, drop, **to.types(node))
    return raw_ops.ParallelBatchDataset(source, size, to.int64(node.calls), drop, **to.types(node))


@dataset_op("UnbatchDataset", _SOURCE, TYPES, METADATA)
def _unbatch(source: Node, **attrs: Any) -> Node:
    return Unbatch(source)


@written(Unbatch)
def _write_unbatch(node: Unbatch, to: Writer) -> Any:
    source, whole = to.node(node.input), node.input.structure
    if not is_plain(whole):
        source = _recoded(source, whole, whole, rows=True)
    return raw_ops.UnbatchDataset(source, **to.types(node))


@dataset_op("RebatchDatasetV2", f"{_SOURCE}, batch_sizes: int64, drop_remainder: bool", TYPES)
def _rebatch(source: Node, batch_sizes: Any, drop_remainder: Any, **attrs: Any) -> Node:
    sizes = np.asarray(batch_sizes).reshape(-1).tolist()
    return BatchesOf(Unbatch(source), sizes, bool(drop_remainder))


@written(BatchesOf)
def _write_batches(node: BatchesOf, to: Writer) -> Any:
    """Of batches of one element each, which the op takes apart again."""
    one = Batch(node.input, 1, False)
    sizes = emit(np.asarray(node.sizes, np.int64))
    return raw_ops.RebatchDatasetV2(to.node(one), sizes, to.boolean(node.drop), **to.types(node))


@dataset_op(
    "PaddedBatchDatasetV2",
    f"{_SOURCE}, batch_size: int64, padded_shapes: N*int64, padding_values: *Toutput_types, "
    "drop_remainder: bool",
    "parallel_copy: bool = False",
    "Toutput_types: tuple[DType, ...] = ()",
    "output_shapes: tuple[TensorShape, ...]",
    METADATA,
)
def _padded_batch(
    source: Node,
    size: Any,
    shapes: list[Any],
    fillers: list[Any],
    drop: Any,
    *,
    Toutput_types: Any,
    **attrs: Any,
) -> Node:
    spec = source.structure.spec
    dims = [TensorShape([None if d < 0 else d for d in np.ravel(s).tolist()]) for s in shapes]
    return PaddedBatch(
        source,
        int(size),
        nest.pack_sequence_as(spec, dims),
        nest.pack_sequence_as(spec, eager_tensors(fillers, Toutput_types)),
        bool(drop),
    )


@written(PaddedBatch)
def _write_padded_batch(node: PaddedBatch, to: Writer) -> Any:
    kinds = [spec.dtype for spec in tensor_specs(node.structure)]
    fillers = [
        to.tensor(f) if isinstance(f, Tensor) else convert_to_tensor(f, dtype)
        for f, dtype in zip(node.fillers, kinds, strict=True)
    ]
    return raw_ops.PaddedBatchDatasetV2(
        to.node(node.input),
        to.int64(node.size),
        [_padded_shape(shape, to) for shape in node.shapes],
        fillers,
        to.boolean(node.drop_remainder),
        output_shapes=to.types(node)["output_shapes"],
    )


def _padded_shape(shape: Any, to: Writer) -> Tensor:
    if isinstance(shape, TensorShape):
        return emit(np.array([-1 if d is None else d for d in shape._dims or ()], np.int64))
    return to.scalar(shape, int64)


@dataset_op("DenseToSparseBatchDataset", f"{_SOURCE}, batch_size: int64, row_shape: int64", TYPES)
def _sparse_batch(source: Node, batch_size: Any, row_shape: Any, **attrs: Any) -> Node:
    row = [None if d < 0 else d for d in np.ravel(row_shape).tolist()]
    batch = SparseBatch(source, int(batch_size), row)
    return Map(batch, UserFunction(_as_variants, batch.structure, name="sparse_batch"))


def _as_variants(batch: Any) -> Any:
    return encode(Structure(batch._type_spec), [batch.indices, batch.values, batch.dense_shape])[0]


@written(SparseBatch)
def _write_sparse_batch(node: SparseBatch, to: Writer) -> Any:
    row = emit(np.array([-1 if d is None else d for d in node.row._dims or ()], np.int64))
    size = to.int64(node.size)
    return raw_ops.DenseToSparseBatchDataset(to.node(node.input), size, row, **to.types(node))


@dataset_op(
    "WindowDataset",
    f"{_SOURCE}, size: int64, shift: int64, stride: int64, drop_remainder: bool",
    TYPES,
    METADATA,
)
def _window(source: Node, size: Any, shift: Any, stride: Any, drop: Any, **attrs: Any) -> Node:
    return Window(source, DatasetSpec, int(size), int(shift), int(stride), bool(drop))


@written(Window)
def _write_window(node: Window, to: Writer) -> Any:
    numbers = [to.int64(n) for n in (node.size, node.shift, node.stride)]
    drop = to.boolean(node.drop)
    return raw_ops.WindowDataset(to.node(node.input), *numbers, drop, **to.types(node))


class SeedGenerator(Resource):
    """The seeds of iterations, which several datasets may share."""

    def __init__(self, seed: int, seed2: int, *, anew: bool) -> None:
        super().__init__()
        self.seeds = Seeds(seed, seed2, anew=anew)


def _no_generator(xp: Any) -> Resource:
    return Resource()


def _generator(xp: Any, seed: Any, seed2: Any, reshuffle: Any) -> Any:
    return SeedGenerator(int(seed), int(seed2), anew=bool(reshuffle)), Resource()


def _cache(xp: Any) -> Any:
    return Resource(), Resource()


def _two_scalars(*inputs: Any, **attrs: Any) -> Any:
    return [(), ()]


declared("DummySeedGenerator", "-> handle: resource", _no_generator, stateful=True)
declared("DummyMemoryCache", "-> handle: resource", lambda xp: Resource(), stateful=True)
declared(
    "AnonymousSeedGenerator",
    "seed: int64, seed2: int64, reshuffle: bool -> handle: resource, deleter: variant",
    _generator,
    stateful=True,
    shape=_two_scalars,
)
declared(
    "AnonymousMemoryCache",
    "-> handle: resource, deleter: variant",
    _cache,
    stateful=True,
    shape=_two_scalars,
)


@dataset_op(
    "ShuffleDatasetV3",
    f"{_SOURCE}, buffer_size: int64, seed: int64, seed2: int64, seed_generator: resource",
    "reshuffle_each_iteration: bool = True",
    TYPES,
    METADATA,
    stateful=True,
)
def _shuffle(
    source: Node,
    size: Any,
    seed: Any,
    seed2: Any,
    generator: Any,
    *,
    reshuffle_each_iteration: bool,
    **attrs: Any,
) -> Node:
    made = Shuffle(source, int(size), (int(seed), int(seed2)), reshuffle_each_iteration)
    made.seeds = getattr(generator, "seeds", made.seeds)
    return made


@written(Shuffle)
def _write_shuffle(node: Shuffle, to: Writer) -> Any:
    return raw_ops.ShuffleDatasetV3(
        to.node(node.input),
        to.int64(node.size),
        *[to.int64(seed) for seed in node.pair],
        raw_ops.DummySeedGenerator(),
        reshuffle_each_iteration=node.anew,
        **to.types(node),
    )


@dataset_op(
    "PrefetchDataset",
    f"{_SOURCE}, buffer_size: int64",
    TYPES,
    "slack_period: int = 0, legacy_autotune: bool = True, buffer_size_min: int = 0",
    METADATA,
)
def _prefetch(source: Node, buffer_size: Any, **attrs: Any) -> Node:
    return Prefetch(source, int(buffer_size))


@written(Prefetch)
def _write_prefetch(node: Prefetch, to: Writer) -> Any:
    size = to.int64(node.size)
    return raw_ops.PrefetchDataset(
        to.node(node.input), size, legacy_autotune=False, **to.types(node)
    )


@dataset_op(
    "CacheDatasetV2",
    f"{_SOURCE}, filename: string, cache: resource",
    TYPES,
    METADATA,
    stateful=True,
    effects="writes files",
)
def _cached(source: Node, filename: Any, cache: Any, **attrs: Any) -> Node:
    path = text(filename)
    return CacheFile(source, path) if path else Cache(source)


@written(Cache)
def _write_cache(node: Cache, to: Writer) -> Any:
    return _write_cache_dataset(node, to, "")


@written(CacheFile)
def _write_cache_file(node: CacheFile, to: Writer) -> Any:
    return _write_cache_dataset(node, to, node.path)


def _write_cache_dataset(node: Node, to: Writer, path: str) -> Any:
    return raw_ops.CacheDatasetV2(
        to.node(node.input), to.text(path), raw_ops.DummyMemoryCache(), **to.types(node)
    )


@dataset_op("IgnoreErrorsDataset", _SOURCE, TYPES, "log_warning: bool = False")
def _ignore_errors(source: Node, *, log_warning: bool, **attrs: Any) -> Node:
    return IgnoreErrors(source, log_warning)


@written(IgnoreErrors)
def _write_ignore_errors(node: IgnoreErrors, to: Writer) -> Any:
    return raw_ops.IgnoreErrorsDataset(to.node(node.input), log_warning=node.log, **to.types(node))


@dataset_op("UniqueDataset", _SOURCE, TYPES, METADATA)
def _unique(source: Node, **attrs: Any) -> Node:
    return Unique(source)


@written(Unique)
def _write_unique(node: Unique, to: Writer) -> Any:
    return raw_ops.UniqueDataset(to.node(node.input), **to.types(node))


@dataset_op("AssertCardinalityDataset", f"{_SOURCE}, cardinality: int64", TYPES)
def _assert_cardinality(source: Node, cardinality: Any, **attrs: Any) -> Node:
    return AssertCardinality(source, int(cardinality))


@written(AssertCardinality)
def _write_assert_cardinality(node: AssertCardinality, to: Writer) -> Any:
    count = to.int64(node.count)
    return raw_ops.AssertCardinalityDataset(to.node(node.input), count, **to.types(node))


@dataset_op("ZipDataset", "input_datasets: N*variant", TYPES, METADATA)
def _zip(sources: list[Node], **attrs: Any) -> Node:
    return Zip(sources, tuple(sources))


@written(Zip)
def _write_zip(node: Zip, to: Writer) -> Any:
    return raw_ops.ZipDataset([to.node(source) for source in node.inputs], **to.types(node))


@written(Enumerate)
def _write_enumerate(node: Enumerate, to: Writer) -> Any:
    """Numbers beside the elements."""
    ends = to.int64(node.start), to.int64(_LARGEST), to.int64(1)
    numbers = raw_ops.RangeDataset(*ends, **types_of(Structure(TensorSpec([], int64))))
    return raw_ops.ZipDataset([numbers, to.node(node.input)], **to.types(node))


@dataset_op("ConcatenateDataset", f"{_SOURCE}, another_dataset: variant", TYPES, METADATA)
def _concatenate(source: Node, other: Node, **attrs: Any) -> Node:
    return Concatenate(source, other)


@written(Concatenate)
def _write_concatenate(node: Concatenate, to: Writer) -> Any:
    sources = [to.node(source) for source in node.inputs]
    return raw_ops.ConcatenateDataset(*sources, **to.types(node))


@dataset_op(
    "DirectedInterleaveDataset",
    "selector_input_dataset: variant, data_input_datasets: N*variant",
    TYPES,
    "stop_on_empty_dataset: bool = False",
)
def _choose(
    selector: Node, sources: list[Node], *, stop_on_empty_dataset: bool, **attrs: Any
) -> Node:
    return Choose(selector, sources, stop_on_empty=stop_on_empty_dataset)


@written(Choose)
def _write_choose(node: Choose, to: Writer) -> Any:
    selector, *sources = [to.node(source) for source in node.inputs]
    return raw_ops.DirectedInterleaveDataset(
        selector, sources, stop_on_empty_dataset=node.stop_on_empty, **to.types(node)
    )
