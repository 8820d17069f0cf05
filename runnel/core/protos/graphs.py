"""Graphs: nodes, attributes, functions, and the declarations of ops."""

SCHEMA = """
message VersionDef
  producer: int32 = 1
  min_consumer: int32 = 2
  bad_consumers: [int32] = 3

enum FullTypeId
  TFT_UNSET=0 TFT_VAR=1 TFT_ANY=2 TFT_PRODUCT=3 TFT_NAMED=4 TFT_FOR_EACH=20 TFT_CALLABLE=100
  TFT_TENSOR=1000 TFT_ARRAY=1001 TFT_OPTIONAL=1002 TFT_LITERAL=1003 TFT_ENCODED=1004
  TFT_SHAPE_TENSOR=1005 TFT_BOOL=200 TFT_UINT8=201 TFT_UINT16=202 TFT_UINT32=203 TFT_UINT64=204
  TFT_INT8=205 TFT_INT16=206 TFT_INT32=207 TFT_INT64=208 TFT_HALF=209 TFT_FLOAT=210
  TFT_DOUBLE=211 TFT_BFLOAT16=215 TFT_COMPLEX64=212 TFT_COMPLEX128=213 TFT_STRING=214
  TFT_DATASET=10102 TFT_RAGGED=10103 TFT_ITERATOR=10104 TFT_MUTEX_LOCK=10202
  TFT_LEGACY_VARIANT=10203

message FullTypeDef
  type_id: FullTypeId = 1
  args: [FullTypeDef] = 2
  oneof attr
    s: string = 3
    i: int64 = 4

message AttrValue
  oneof value
    s: bytes = 2
    i: int64 = 3
    f: float = 4
    b: bool = 5
    type: DataType = 6
    shape: TensorShapeProto = 7
    tensor: TensorProto = 8
    list: AttrValue.ListValue = 1
    func: NameAttrList = 10
    placeholder: string = 9

message AttrValue.ListValue
  s: [bytes] = 2
  i: [int64] = 3
  f: [float] = 4
  b: [bool] = 5
  type: [DataType] = 6
  shape: [TensorShapeProto] = 7
  tensor: [TensorProto] = 8
  func: [NameAttrList] = 9

message NameAttrList
  name: string = 1
  attr: {string: AttrValue} = 2

message NodeDef
  name: string = 1
  op: string = 2
  input: [string] = 3
  device: string = 4
  attr: {string: AttrValue} = 5
  experimental_debug_info: NodeDef.ExperimentalDebugInfo = 6
  experimental_type: FullTypeDef = 7

message NodeDef.ExperimentalDebugInfo
  original_node_names: [string] = 1
  original_func_names: [string] = 2

message OpDef
  name: string = 1
  input_arg: [OpDef.ArgDef] = 2
  output_arg: [OpDef.ArgDef] = 3
  control_output: [string] = 20
  attr: [OpDef.AttrDef] = 4
  deprecation: OpDeprecation = 8
  summary: string = 5
  description: string = 6
  is_commutative: bool = 18
  is_aggregate: bool = 16
  is_stateful: bool = 17
  allows_uninitialized_input: bool = 19
  is_distributed_communication: bool = 21

message OpDef.ArgDef
  name: string = 1
  description: string = 2
  type: DataType = 3
  type_attr: string = 4
  number_attr: string = 5
  type_list_attr: string = 6
  handle_data: [ResourceHandleProto.DtypeAndShape] = 7
  is_ref: bool = 16
  experimental_full_type: FullTypeDef = 17

message OpDef.AttrDef
  name: string = 1
  type: string = 2
  default_value: AttrValue = 3
  description: string = 4
  has_minimum: bool = 5
  minimum: int64 = 6
  allowed_values: AttrValue = 7

message OpDeprecation
  version: int32 = 1
  explanation: string = 2

message OpList
  op: [OpDef] = 1

message FunctionDefLibrary
  function: [FunctionDef] = 1
  gradient: [GradientDef] = 2
  registered_gradients: [RegisteredGradient] = 3

message FunctionDef
  signature: OpDef = 1
  attr: {string: AttrValue} = 5
  arg_attr: {uint32: FunctionDef.ArgAttrs} = 7
  resource_arg_unique_id: {uint32: uint32} = 8
  node_def: [NodeDef] = 3
  ret: {string: string} = 4
  control_ret: {string: string} = 6

message FunctionDef.ArgAttrs
  attr: {string: AttrValue} = 1

message GradientDef
  function_name: string = 1
  gradient_func: string = 2

message RegisteredGradient
  gradient_func: string = 1
  registered_op_type: string = 2

message GraphDef
  node: [NodeDef] = 1
  versions: VersionDef = 4
  version: int32 = 3
  library: FunctionDefLibrary = 2
  debug_info: GraphDebugInfo = 5
"""
