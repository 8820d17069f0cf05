"""`tf.data.experimental.get_model_proto`: the stages of a running iterator as TensorFlow's message.

TensorFlow tunes parallelism by a model of the pipeline, and this is the model. Nothing is tuned by
it here, so that it holds what the stages know of themselves: what they have given, what waits in
their buffers, how many threads they may use. Nobody takes their times; see `Dataset.profile`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from runnel.core.values.errors import NotFoundError
from runnel.data.dataset.options import Options
from runnel.data.files.messages import model
from runnel.data.nodes.node import Node, known_number, nbytes
from runnel.data.run.iterator import NumpyIterator, OwnedIterator
from runnel.data.run.parallel import Ahead, ParallelMap

_NAMES = {
    "TensorDataset": "FromTensor",
    "BatchDataset": "BatchV2",
    "PaddedBatchDataset": "PaddedBatchV2",
    "RebatchDataset": "RebatchV2",
    "ParallelMapDataset": "ParallelMapV2",
    "ParallelInterleaveDataset": "ParallelInterleaveV4",
    "FixedLengthRecordDataset": "FixedLengthRecordV2",
    "CacheDataset": "MemoryCache",
    "TakeDataset": "FiniteTake",
    "SkipDataset": "FiniteSkip",
}
_MANY = ("FlatMapDataset", "InterleaveDataset", "DirectedInterleaveDataset")
_UNKNOWN = ("Filter", "Unbatch", "Unique", "GroupByWindow", "GroupByReducer")
_RATIOS: dict[str, Callable[[Any], Any]] = {  # how many elements of its input make one of a stage
    "BatchDataset": lambda node: node.size,
    "ParallelBatchDataset": lambda node: node.size,
    "PaddedBatchDataset": lambda node: node.size,
    "DenseToSparseBatchDataset": lambda node: node.size,
    "MapAndBatchDataset": lambda node: node.size,
    "WindowDataset": lambda node: node.size,
}


def get_model_proto(iterator: Any) -> Any:
    """A `ModelProto` of how the stages of an iterator are doing.

    >>> iterator = iter(tf.data.Dataset.range(10).shuffle(4).batch(2))
    >>> batch = next(iterator)
    >>> proto = tf.data.experimental.get_model_proto(iterator)
    >>> [(node.name, node.num_elements) for _, node in sorted(proto.nodes.items())]
    [('Root', 1), ('BatchV2', 1), ('Shuffle', 2), ('Range', 5)]
    """
    if isinstance(iterator, NumpyIterator):
        iterator = iterator._iterator
    if not isinstance(iterator, OwnedIterator):
        raise ValueError(
            f"get_model_proto: `iterator` must be a tf.data.Iterator, got {iterator!r}."
        )
    held = iterator._resource()
    if held.run.options.autotune.enabled is False:
        raise NotFoundError(
            None,
            None,
            "The iterator has no model, since its options say `autotune.enabled = False`.",
        )
    proto = _Writer(held.run).write(held.node)
    proto.nodes[1].num_elements = held.given
    return proto


class _Writer:
    def __init__(self, run: Any) -> None:
        self._run = run
        self._proto = model()()

    def write(self, node: Node) -> Any:
        proto, options = self._proto, self._run.options
        root = self._new("Root", "KNOWN_RATIO", 1.0)
        root.inputs.append(self._add(node))
        proto.output, proto.id_counter = root.id, len(proto.nodes) + 1
        proto.dataset_name = options.dataset_name or ""
        _write_budget(proto.optimization_params, options)
        return proto

    def _new(self, name: str, kind: str, ratio: float) -> Any:
        number = len(self._proto.nodes) + 1
        made = self._proto.nodes[number]
        made.id, made.name, made.ratio = number, name, ratio
        made.node_class = (
            made.DESCRIPTOR.fields_by_name["node_class"].enum_type.values_by_name[kind].number
        )
        made.autotune = made.record_metrics = True
        return made

    def _add(self, node: Node) -> int:
        """Write a node and those before it; its number."""
        stage = self._run.stage_of(node)
        while len(node.inputs) == 1 and stage is self._run.stage_of(node.input):
            node = node.input  # what only passes elements on has no stage of its own
        made = self._new(_name(node), _class(node, stage), _ratio(node))
        if stage is not None:
            made.num_elements = stage.made
            _write_buffer(made, stage)
            _write_parameters(made, node, stage)
        for source in node.inputs:
            made.inputs.append(self._add(source))
        return int(made.id)


def _name(node: Node) -> str:
    if node.kind == "RepeatDataset":
        count = known_number(node.count)  # type: ignore[attr-defined]
        return "ForeverRepeat" if count is not None and count < 0 else "FiniteRepeat"
    if node.kind == "CacheDataset" and hasattr(node, "path"):
        return "FileCache"
    return _NAMES.get(node.kind, node.kind.removesuffix("Dataset"))


def _class(node: Node, stage: Any) -> str:
    if node.kind.removeprefix("Parallel") in _MANY:
        kind = "INTERLEAVE_MANY"
    elif node.kind.removesuffix("Dataset") in _UNKNOWN:
        kind = "UNKNOWN_RATIO"
    else:
        kind = "KNOWN_RATIO"
    return f"ASYNC_{kind}" if getattr(stage, "apart", None) else kind


def _ratio(node: Node) -> float:
    if not node.inputs or "UNKNOWN" in _class(node, None) or "MANY" in _class(node, None):
        return 0.0
    if node.kind == "ShardDataset":
        return 1.0 / (known_number(node.num_shards) or 1)  # type: ignore[attr-defined]
    found = _RATIOS.get(node.kind)
    return 1.0 if found is None else float(known_number(found(node)) or 1)


def _write_buffer(made: Any, stage: Any) -> None:
    waiting = getattr(stage, "buffer", ())
    made.buffered_elements = len(waiting)
    made.buffered_bytes = sum(nbytes(item) for item in waiting if isinstance(item, list))


def _write_parameters(made: Any, node: Any, stage: Any) -> None:
    """How far a stage works ahead, or on how many threads."""
    if isinstance(stage, Ahead) and node.kind == "PrefetchDataset":
        size = known_number(node.size) or 0
        _add_parameter(made, "buffer_size", size, tunable=size < 0)
    elif isinstance(stage, ParallelMap):
        _add_parameter(made, "parallelism", stage.workers, tunable=known_number(node.calls) == -1)


def _add_parameter(made: Any, name: str, value: float, *, tunable: bool) -> None:
    value = max(value, 0)
    made.parameters.add(
        name=name, value=value, state_value=value, min=1, max=max(value, 1), tunable=tunable
    )


def _write_budget(proto: Any, options: Options) -> None:
    proto.cpu_budget = options.autotune.cpu_budget or os.cpu_count() or 1
    if options.autotune.ram_budget:
        proto.ram_budget = options.autotune.ram_budget
    if options.autotune.autotune_algorithm is not None:
        proto.algorithm = options.autotune.autotune_algorithm.value
