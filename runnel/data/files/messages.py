"""The protocol messages that belong to `tf.data`: what stands beside saved elements, and what
`get_model_proto` returns."""

from __future__ import annotations

import functools
from typing import Any

from runnel.core.protos.messages import in_package

_SAVED = """
message SnapshotMetadataRecord
  graph_hash: string = 1
  run_id: string = 2
  creation_timestamp: int64 = 3
  version: int64 = 4
  dtype: [int32] = 5
  num_elements: int64 = 6
  finalized: bool = 1000
  shard: [int64] = 2000
  shard_elements: [int64] = 2001
"""
_MODEL = """
enum NodeClass
  UNKNOWN=0 INTERLEAVE_MANY=1 ASYNC_INTERLEAVE_MANY=2 KNOWN_RATIO=3 ASYNC_KNOWN_RATIO=4
  UNKNOWN_RATIO=5 ASYNC_UNKNOWN_RATIO=6

enum AutotuneAlgorithm
  DEFAULT=0 HILL_CLIMB=1 GRADIENT_DESCENT=2 MAX_PARALLELISM=3 STAGE_BASED=4

message ModelProto
  dataset_name: string = 7
  nodes: {int64: ModelProto.Node} = 1
  output: int64 = 2
  id_counter: int64 = 3
  optimization_params: ModelProto.OptimizationParams = 5
  gap_times: [uint64] = 6

message ModelProto.Node
  id: int64 = 1
  name: string = 2
  autotune: bool = 3
  buffered_bytes: int64 = 4
  buffered_elements: int64 = 5
  bytes_consumed: int64 = 6
  bytes_produced: int64 = 7
  num_elements: int64 = 8
  processing_time: int64 = 9
  record_metrics: bool = 10
  parameters: [ModelProto.Node.Parameter] = 11
  input_processing_time_sum: double = 12
  input_processing_time_count: int64 = 13
  inputs: [int64] = 14
  node_class: NodeClass = 15
  ratio: double = 16
  memory_ratio: double = 17

message ModelProto.Node.Parameter
  name: string = 1
  value: double = 2
  state_value: double = 3
  min: double = 4
  max: double = 5
  tunable: bool = 6

message ModelProto.OptimizationParams
  algorithm: AutotuneAlgorithm = 1
  cpu_budget: int64 = 2
  ram_budget: int64 = 3
  model_input_time: double = 4
"""


@functools.cache
def saved_elements() -> Any:
    """The class `SnapshotMetadataRecord`, whose dtypes are numbers of `DataType`.

    The numbers of the shards and of their elements are ours: TensorFlow reads past them.
    """
    return in_package("tensorflow.data.experimental", _SAVED)("SnapshotMetadataRecord")


@functools.cache
def model() -> Any:
    """The class `ModelProto`."""
    return in_package("tensorflow.data.model", _MODEL)("ModelProto")
