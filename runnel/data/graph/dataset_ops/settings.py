"""`tf.data.Options` as TensorFlow's message, and the op that gives them to a dataset."""

from __future__ import annotations

import enum
import functools
from typing import Any

from runnel.core.op.raw import raw_ops
from runnel.core.protos.messages import in_package
from runnel.data.dataset import options
from runnel.data.dataset.dataset import WithOptions
from runnel.data.dataset.options import Options
from runnel.data.graph.dataset_ops.declaring import METADATA, TYPES, Writer, dataset_op, written
from runnel.data.nodes.node import Node

# Every field is one of a single choice, so that a value of zero is told from none.
_FIELDS = {
    "AutotuneOptions": "enabled: bool = 1, cpu_budget: int32 = 2, ram_budget: int64 = 3, "
    "autotune_algorithm: int32 = 4, initial_parallelism: int64 = 5, min_parallelism: int64 = 6",
    "DistributeOptions": "auto_shard_policy: int32 = 1, num_devices: int32 = 2",
    "OptimizationOptions": "apply_default_optimizations: bool = 1, filter_fusion: bool = 6, "
    "map_and_batch_fusion: bool = 9, map_and_filter_fusion: bool = 10, map_fusion: bool = 11, "
    "map_parallelization: bool = 12, noop_elimination: bool = 14, parallel_batch: bool = 15, "
    "shuffle_and_repeat_fusion: bool = 17, filter_parallelization: bool = 18, "
    "inject_prefetch: bool = 19, seq_interleave_prefetch: bool = 21",
    "ServiceOptions": "pinned: bool = 1",
    "ThreadingOptions": "max_intra_op_parallelism: int32 = 1, private_threadpool_size: int32 = 2",
    "Options": "deterministic: bool = 1, distribute_options: DistributeOptions = 2, "
    "optimization_options: OptimizationOptions = 3, slack: bool = 4, "
    "threading_options: ThreadingOptions = 5, external_state_policy: int32 = 6, "
    "autotune_options: AutotuneOptions = 7, symbolic_checkpoint: bool = 8, warm_start: bool = 9, "
    "dataset_name: string = 10, service_options: ServiceOptions = 12",
}
_NAMES = {  # of fields, where the attribute has another name
    "autotune": "autotune_options",
    "threading": "threading_options",
    "experimental_distribute": "distribute_options",
    "experimental_optimization": "optimization_options",
    "experimental_service": "service_options",
    "experimental_slack": "slack",
    "experimental_external_state_policy": "external_state_policy",
    "experimental_symbolic_checkpoint": "symbolic_checkpoint",
    "experimental_warm_start": "warm_start",
}


@functools.cache
def _message() -> Any:
    """The class of the message."""
    text = ""
    for name, fields in _FIELDS.items():
        text += f"\nmessage {name}\n"
        for place, field in enumerate(fields.split(", ")):
            text += f"  oneof choice_{place}\n    {field}\n"
        if name == "Options":
            text += "  framework_type: [string] = 11\n"
    return in_package("tensorflow.data", text)("Options")


def to_message(group: Any, proto: Any) -> None:
    """Write the settings that have been made."""
    for name, value in group._values.items():
        field = _NAMES.get(name, name)
        if value is None:
            continue
        if isinstance(value, options._Group):
            to_message(value, getattr(proto, field))
        elif isinstance(value, list):
            getattr(proto, field).extend(value)
        else:
            setattr(proto, field, value.value if isinstance(value, enum.Enum) else value)


def from_message(proto: Any, group: Any) -> None:
    """Make the settings that a message holds."""
    names = {field: name for name, field in _NAMES.items()}
    for field, value in proto.ListFields():
        name = names.get(field.name, field.name)
        if field.message_type is not None:
            from_message(value, getattr(group, name))
            continue
        kind = vars(type(group))[name].kind
        if field.name == "framework_type":
            value = list(value)
        setattr(group, name, kind(value) if issubclass(kind, enum.Enum) else value)


@dataset_op("OptionsDataset", "input_dataset: variant", "serialized_options: str", TYPES, METADATA)
def _options(source: Node, *, serialized_options: str, **attrs: Any) -> Node:
    made = Options()
    data = serialized_options.encode("utf-8", "surrogateescape")
    from_message(_message().FromString(data), made)
    return WithOptions(source, made)


@written(WithOptions)
def _write_options(node: WithOptions, to: Writer) -> Any:
    proto = _message()()
    to_message(node._options, proto)
    data = proto.SerializeToString(deterministic=True).decode("utf-8", "surrogateescape")
    return raw_ops.OptionsDataset(to.node(node.input), serialized_options=data, **to.types(node))
