"""Steps of a pipeline that call functions, as TensorFlow's ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.op.raw import raw_ops
from runnel.core.values.dtypes import int64
from runnel.core.values.type_spec import TensorSpec
from runnel.data.dataset.spec import DatasetSpec
from runnel.data.graph.dataset_ops.declaring import (
    METADATA,
    TYPES,
    Writer,
    choice,
    chosen,
    dataset_of,
    dataset_op,
    eager_tensors,
    elements,
    function,
    returned,
    written,
)
from runnel.data.graph.element_tensors import encode
from runnel.data.nodes.combining import Interleave
from runnel.data.nodes.mapping import Filter, FlatMap, Map, Scan
from runnel.data.nodes.node import Node
from runnel.data.nodes.reducers import GroupByReducer
from runnel.data.nodes.taking import TakeWhile
from runnel.data.nodes.windows import GroupByWindow
from runnel.data.run.structure import Structure
from runnel.graph.build.func_graph import FuncGraph

_SOURCE = "input_dataset: variant, other_arguments: *Targuments"
_KEY = Structure(TensorSpec([], int64))
_DETERMINISTIC = "deterministic: str = 'default'"


_MAP = (
    "f: FuncGraph",
    TYPES,
    "use_inter_op_parallelism: bool = True, preserve_cardinality: bool = False",
    "force_synchronous: bool = False",
)


@dataset_op("ExperimentalMapDataset", _SOURCE, *_MAP)
@dataset_op("MapDataset", _SOURCE, *_MAP, METADATA)
def _map(source: Node, captured: list[Any], *, f: FuncGraph, out: Structure, **attrs: Any) -> Node:
    return Map(source, function(f, captured, [source.structure], out))


@dataset_op(
    "ParallelMapDatasetV2",
    f"{_SOURCE}, num_parallel_calls: int64",
    "f: FuncGraph",
    TYPES,
    "use_inter_op_parallelism: bool = True",
    _DETERMINISTIC,
    "preserve_cardinality: bool = False, use_unbounded_threadpool: bool = False",
    METADATA,
)
def _parallel_map(
    source: Node,
    captured: list[Any],
    calls: Any,
    *,
    f: FuncGraph,
    out: Structure,
    deterministic: str,
    **attrs: Any,
) -> Node:
    made = function(f, captured, [source.structure], out)
    return Map(source, made, int(calls), choice(deterministic))


@written(Map)
def _write_map(node: Map, to: Writer) -> Any:
    source, (graph, captured) = to.node(node.input), to.function(node.function)
    types = {"f": graph, "preserve_cardinality": True, **to.types(node)}
    if node.calls is None:
        return raw_ops.MapDataset(source, captured, **types)
    return raw_ops.ParallelMapDatasetV2(
        source, captured, to.int64(node.calls), deterministic=chosen(node.deterministic), **types
    )


@dataset_op(
    "ParallelFilterDataset",
    f"{_SOURCE}, num_parallel_calls: int64",
    f"predicate: FuncGraph, {_DETERMINISTIC}",
    TYPES,
    METADATA,
)
@dataset_op("FilterDataset", _SOURCE, "predicate: FuncGraph", TYPES, METADATA)
def _filter(
    source: Node, captured: list[Any], *calls: Any, predicate: FuncGraph, **attrs: Any
) -> Node:
    return Filter(source, function(predicate, captured, [source.structure], returned(predicate)))


@written(Filter)
def _write_filter(node: Filter, to: Writer) -> Any:
    graph, captured = to.function(node.predicate)
    return raw_ops.FilterDataset(to.node(node.input), captured, predicate=graph, **to.types(node))


@dataset_op("TakeWhileDataset", _SOURCE, "predicate: FuncGraph", TYPES, METADATA)
def _take_while(source: Node, captured: list[Any], *, predicate: FuncGraph, **attrs: Any) -> Node:
    made = function(predicate, captured, [source.structure], returned(predicate))
    return TakeWhile(source, made)


@written(TakeWhile)
def _write_take_while(node: TakeWhile, to: Writer) -> Any:
    graph, captured = to.function(node.predicate)
    return raw_ops.TakeWhileDataset(
        to.node(node.input), captured, predicate=graph, **to.types(node)
    )


@dataset_op(
    "ScanDataset",
    "input_dataset: variant, initial_state: *Tstate, other_arguments: *Targuments",
    "f: FuncGraph, Tstate: tuple[DType, ...] = ()",
    TYPES,
    "preserve_cardinality: bool = False, use_default_device: bool = True",
    METADATA,
)
def _scan(
    source: Node,
    initial: list[Any],
    captured: list[Any],
    *,
    f: FuncGraph,
    Tstate: Any,
    out: Structure,
    **attrs: Any,
) -> Node:
    before = elements(Tstate, [t.shape for t in f.outputs[: len(Tstate)]])
    made = function(f, captured, [before, source.structure], returned(f))
    return Scan(source, eager_tensors(initial, Tstate), made, out)


@written(Scan)
def _write_scan(node: Scan, to: Writer) -> Any:
    graph, captured = to.function(node.function)
    initial = encode(node.function.inputs[0], to.tensors(node.initial))
    return raw_ops.ScanDataset(
        to.node(node.input), initial, captured, f=graph, preserve_cardinality=True, **to.types(node)
    )


@dataset_op("FlatMapDataset", _SOURCE, "f: FuncGraph", TYPES, METADATA)
def _flat_map(
    source: Node, captured: list[Any], *, f: FuncGraph, out: Structure, **attrs: Any
) -> Node:
    return FlatMap(source, function(f, captured, [source.structure], dataset_of(out)))


@written(FlatMap)
def _write_flat_map(node: FlatMap, to: Writer) -> Any:
    graph, captured = to.function(node.function)
    return raw_ops.FlatMapDataset(to.node(node.input), captured, f=graph, **to.types(node))


@dataset_op(
    "InterleaveDataset",
    f"{_SOURCE}, cycle_length: int64, block_length: int64",
    "f: FuncGraph",
    TYPES,
    METADATA,
)
def _interleave(
    source: Node,
    captured: list[Any],
    cycle: Any,
    block: Any,
    *,
    f: FuncGraph,
    out: Structure,
    **attrs: Any,
) -> Node:
    made = function(f, captured, [source.structure], dataset_of(out))
    return Interleave(source, made, int(cycle), int(block))


@dataset_op(
    "ParallelInterleaveDatasetV4",
    f"{_SOURCE}, cycle_length: int64, block_length: int64, buffer_output_elements: int64, "
    "prefetch_input_elements: int64, num_parallel_calls: int64",
    "f: FuncGraph",
    _DETERMINISTIC,
    TYPES,
    METADATA,
)
def _parallel_interleave(
    source: Node,
    captured: list[Any],
    cycle: Any,
    block: Any,
    ahead: Any,
    inputs_ahead: Any,
    calls: Any,
    *,
    f: FuncGraph,
    deterministic: str,
    out: Structure,
    **attrs: Any,
) -> Node:
    made = function(f, captured, [source.structure], dataset_of(out))
    return Interleave(source, made, int(cycle), int(block), int(calls), choice(deterministic))


@written(Interleave)
def _write_interleave(node: Interleave, to: Writer) -> Any:
    source, (graph, captured) = to.node(node.input), to.function(node.function)
    lengths = to.int64(node.cycle), to.int64(node.size)
    if node.calls is None:
        return raw_ops.InterleaveDataset(source, captured, *lengths, f=graph, **to.types(node))
    return raw_ops.ParallelInterleaveDatasetV4(
        source,
        captured,
        *lengths,
        to.int64(-1),
        to.int64(-1),
        to.int64(node.calls),
        f=graph,
        deterministic=chosen(node.deterministic),
        **to.types(node),
    )


def _others(*names: str) -> str:
    """Inputs for what each of several functions captures."""
    inputs = [f"{n}_func_other_arguments: *T{n}_func_other_arguments" for n in names]
    return ", ".join(["input_dataset: variant", *inputs])


@dataset_op(
    "GroupByWindowDataset",
    _others("key", "reduce", "window_size"),
    "key_func: FuncGraph, reduce_func: FuncGraph, window_size_func: FuncGraph",
    TYPES,
    METADATA,
)
def _group_by_window(
    source: Node,
    for_key: list[Any],
    for_reduce: list[Any],
    for_size: list[Any],
    *,
    key_func: FuncGraph,
    reduce_func: FuncGraph,
    window_size_func: FuncGraph,
    out: Structure,
    **attrs: Any,
) -> Node:
    group = Structure(DatasetSpec(source.structure.spec))
    return GroupByWindow(
        source,
        function(key_func, for_key, [source.structure], returned(key_func)),
        function(reduce_func, for_reduce, [_KEY, group], dataset_of(out)),
        function(window_size_func, for_size, [_KEY], returned(window_size_func)),
    )


@written(GroupByWindow)
def _write_group_by_window(node: GroupByWindow, to: Writer) -> Any:
    (key, reduce, size), captured = _functions(to, [node.key, node.reduce, node.size])
    return raw_ops.GroupByWindowDataset(
        to.node(node.input),
        *captured,
        key_func=key,
        reduce_func=reduce,
        window_size_func=size,
        **to.types(node),
    )


def _functions(to: Writer, given: Sequence[Any]) -> tuple[list[FuncGraph], list[Any]]:
    pairs = [to.function(each) for each in given]
    return [graph for graph, _ in pairs], [captured for _, captured in pairs]


@dataset_op(
    "ExperimentalGroupByReducerDataset",
    _others("key", "init", "reduce", "finalize"),
    "key_func: FuncGraph, init_func: FuncGraph, reduce_func: FuncGraph, finalize_func: FuncGraph",
    TYPES,
    stateful=True,
)
@dataset_op(
    "GroupByReducerDataset",
    _others("key", "init", "reduce", "finalize"),
    "key_func: FuncGraph, init_func: FuncGraph, reduce_func: FuncGraph, finalize_func: FuncGraph",
    TYPES,
    stateful=True,
)
def _group_by_reducer(
    source: Node,
    for_key: list[Any],
    for_init: list[Any],
    for_reduce: list[Any],
    for_finalize: list[Any],
    *,
    key_func: FuncGraph,
    init_func: FuncGraph,
    reduce_func: FuncGraph,
    finalize_func: FuncGraph,
    out: Structure,
    **attrs: Any,
) -> Node:
    state = returned(init_func)
    return GroupByReducer(
        source,
        function(key_func, for_key, [source.structure], returned(key_func)),
        function(init_func, for_init, [_KEY], state),
        function(reduce_func, for_reduce, [state, source.structure], returned(reduce_func)),
        function(finalize_func, for_finalize, [state], out),
    )


@written(GroupByReducer)
def _write_group_by_reducer(node: GroupByReducer, to: Writer) -> Any:
    graphs, captured = _functions(to, [node.key, node.first, node.next, node.last])
    key, first, step, last = graphs
    return raw_ops.GroupByReducerDataset(
        to.node(node.input),
        *captured,
        key_func=key,
        init_func=first,
        reduce_func=step,
        finalize_func=last,
        **to.types(node),
    )
