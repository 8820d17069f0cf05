"""Checkpoints: the graph of objects, the index of a tensor bundle, the slices of version 1."""

SCHEMA = """
message TrackableObjectGraph
  nodes: [TrackableObjectGraph.TrackableObject] = 1

message TrackableObjectGraph.TrackableObject
  children: [TrackableObjectGraph.TrackableObject.ObjectReference] = 1
  attributes: [TrackableObjectGraph.TrackableObject.SerializedTensor] = 2
  slot_variables: [TrackableObjectGraph.TrackableObject.SlotVariableReference] = 3
  registered_saver: RegisteredSaver = 4
  has_checkpoint_values: google.protobuf.BoolValue = 5

message TrackableObjectGraph.TrackableObject.ObjectReference
  node_id: int32 = 1
  local_name: string = 2

message TrackableObjectGraph.TrackableObject.SerializedTensor
  name: string = 1
  full_name: string = 2
  checkpoint_key: string = 3

message TrackableObjectGraph.TrackableObject.SlotVariableReference
  original_variable_node_id: int32 = 1
  slot_name: string = 2
  slot_variable_node_id: int32 = 3

message RegisteredSaver
  name: string = 1
  object_name: string = 2

message BundleHeaderProto
  num_shards: int32 = 1
  endianness: BundleHeaderProto.Endianness = 2
  version: VersionDef = 3

enum BundleHeaderProto.Endianness
  LITTLE=0 BIG=1

message BundleEntryProto
  dtype: DataType = 1
  shape: TensorShapeProto = 2
  shard_id: int32 = 3
  offset: int64 = 4
  size: int64 = 5
  crc32c: fixed32 = 6
  slices: [TensorSliceProto] = 7

message CheckpointState
  model_checkpoint_path: string = 1
  all_model_checkpoint_paths: [string] = 2
  all_model_checkpoint_timestamps: [double] = 3
  last_preserved_timestamp: double = 4

message SavedSliceMeta
  name: string = 1
  shape: TensorShapeProto = 2
  type: DataType = 3
  slice: [TensorSliceProto] = 4

message SavedTensorSliceMeta
  tensor: [SavedSliceMeta] = 1
  versions: VersionDef = 2

message SavedSlice
  name: string = 1
  slice: TensorSliceProto = 2
  data: TensorProto = 3

message SavedTensorSlices
  meta: SavedTensorSliceMeta = 1
  data: SavedSlice = 2
"""
