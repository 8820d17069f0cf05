"""SavedModels: graphs with signatures and collections, and the objects that own functions."""

SCHEMA = """
message SaverDef
  filename_tensor_name: string = 1
  save_tensor_name: string = 2
  restore_op_name: string = 3
  max_to_keep: int32 = 4
  sharded: bool = 5
  keep_checkpoint_every_n_hours: float = 6
  version: SaverDef.CheckpointFormatVersion = 7

enum SaverDef.CheckpointFormatVersion
  LEGACY=0 V1=1 V2=2

enum VariableSynchronization
  VARIABLE_SYNCHRONIZATION_AUTO=0 VARIABLE_SYNCHRONIZATION_NONE=1
  VARIABLE_SYNCHRONIZATION_ON_WRITE=2 VARIABLE_SYNCHRONIZATION_ON_READ=3

enum VariableAggregation
  VARIABLE_AGGREGATION_NONE=0 VARIABLE_AGGREGATION_SUM=1 VARIABLE_AGGREGATION_MEAN=2
  VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA=3

message VariableDef
  variable_name: string = 1
  initial_value_name: string = 6
  initializer_name: string = 2
  snapshot_name: string = 3
  save_slice_info_def: SaveSliceInfoDef = 4
  is_resource: bool = 5
  trainable: bool = 7
  synchronization: VariableSynchronization = 8
  aggregation: VariableAggregation = 9

message SaveSliceInfoDef
  full_name: string = 1
  full_shape: [int64] = 2
  var_offset: [int64] = 3
  var_shape: [int64] = 4

message MetaGraphDef
  meta_info_def: MetaGraphDef.MetaInfoDef = 1
  graph_def: GraphDef = 2
  saver_def: SaverDef = 3
  collection_def: {string: CollectionDef} = 4
  signature_def: {string: SignatureDef} = 5
  asset_file_def: [AssetFileDef] = 6
  object_graph_def: SavedObjectGraph = 7

message MetaGraphDef.MetaInfoDef
  meta_graph_version: string = 1
  stripped_op_list: OpList = 2
  any_info: google.protobuf.Any = 3
  tags: [string] = 4
  tensorflow_version: string = 5
  tensorflow_git_version: string = 6
  stripped_default_attrs: bool = 7
  function_aliases: {string: string} = 8

message CollectionDef
  oneof kind
    node_list: CollectionDef.NodeList = 1
    bytes_list: CollectionDef.BytesList = 2
    int64_list: CollectionDef.Int64List = 3
    float_list: CollectionDef.FloatList = 4
    any_list: CollectionDef.AnyList = 5

message CollectionDef.NodeList
  value: [string] = 1

message CollectionDef.BytesList
  value: [bytes] = 1

message CollectionDef.Int64List
  value: [int64] = 1

message CollectionDef.FloatList
  value: [float] = 1

message CollectionDef.AnyList
  value: [google.protobuf.Any] = 1

message TensorInfo
  oneof encoding
    name: string = 1
    coo_sparse: TensorInfo.CooSparse = 4
    composite_tensor: TensorInfo.CompositeTensor = 5
  dtype: DataType = 2
  tensor_shape: TensorShapeProto = 3

message TensorInfo.CooSparse
  values_tensor_name: string = 1
  indices_tensor_name: string = 2
  dense_shape_tensor_name: string = 3

message TensorInfo.CompositeTensor
  type_spec: TypeSpecProto = 1
  components: [TensorInfo] = 2

message SignatureDef
  inputs: {string: TensorInfo} = 1
  outputs: {string: TensorInfo} = 2
  method_name: string = 3
  defaults: {string: TensorProto} = 4

message AssetFileDef
  tensor_info: TensorInfo = 1
  filename: string = 2

message SavedObjectGraph
  nodes: [SavedObject] = 1
  concrete_functions: {string: SavedConcreteFunction} = 2

message SavedObject
  children: [TrackableObjectGraph.TrackableObject.ObjectReference] = 1
  dependencies: [TrackableObjectGraph.TrackableObject.ObjectReference] = 15
  slot_variables: [TrackableObjectGraph.TrackableObject.SlotVariableReference] = 3
  oneof kind
    user_object: SavedUserObject = 4
    asset: SavedAsset = 5
    function: SavedFunction = 6
    variable: SavedVariable = 7
    bare_concrete_function: SavedBareConcreteFunction = 8
    constant: SavedConstant = 9
    resource: SavedResource = 10
    captured_tensor: CapturedTensor = 12
  saveable_objects: {string: SaveableObject} = 11
  registered_name: string = 13
  serialized_user_proto: google.protobuf.Any = 14
  registered_saver: string = 16

message SavedUserObject
  identifier: string = 1
  version: VersionDef = 2
  metadata: string = 3

message SavedAsset
  asset_file_def_index: int32 = 1

message SavedFunction
  concrete_functions: [string] = 1
  function_spec: FunctionSpec = 2

message CapturedTensor
  name: string = 1
  concrete_function: string = 2

message SavedConcreteFunction
  bound_inputs: [int32] = 2
  canonicalized_input_signature: StructuredValue = 3
  output_signature: StructuredValue = 4

message SavedBareConcreteFunction
  concrete_function_name: string = 1
  argument_keywords: [string] = 2
  allowed_positional_arguments: int64 = 3
  function_spec: FunctionSpec = 4

message SavedConstant
  operation: string = 1

message SavedVariable
  dtype: DataType = 1
  shape: TensorShapeProto = 2
  trainable: bool = 3
  synchronization: VariableSynchronization = 4
  aggregation: VariableAggregation = 5
  name: string = 6
  device: string = 7
  experimental_distributed_variable_components: [SavedVariable] = 8

message FunctionSpec
  fullargspec: StructuredValue = 1
  is_method: bool = 2
  input_signature: StructuredValue = 5
  jit_compile: FunctionSpec.JitCompile = 6

enum FunctionSpec.JitCompile
  DEFAULT=0 ON=1 OFF=2

message SavedResource
  device: string = 1

message SaveableObject
  save_function: int32 = 2
  restore_function: int32 = 3

message SavedModel
  saved_model_schema_version: int64 = 1
  meta_graphs: [MetaGraphDef] = 2

message FingerprintDef
  saved_model_checksum: uint64 = 1
  graph_def_program_hash: uint64 = 2
  signature_def_hash: uint64 = 3
  saved_object_graph_hash: uint64 = 4
  checkpoint_hash: uint64 = 5
  uuid: string = 7
  version: VersionDef = 6
"""
