"""Python structures of values and type specs, as SavedModels keep them."""

SCHEMA = """
message StructuredValue
  oneof kind
    none_value: NoneValue = 1
    float64_value: double = 11
    int64_value: sint64 = 12
    string_value: string = 13
    bool_value: bool = 14
    tensor_shape_value: TensorShapeProto = 31
    tensor_dtype_value: DataType = 32
    tensor_spec_value: TensorSpecProto = 33
    type_spec_value: TypeSpecProto = 34
    bounded_tensor_spec_value: BoundedTensorSpecProto = 35
    list_value: ListValue = 51
    tuple_value: TupleValue = 52
    dict_value: DictValue = 53
    named_tuple_value: NamedTupleValue = 54
    tensor_value: TensorProto = 55
    numpy_value: TensorProto = 56

message NoneValue

message ListValue
  values: [StructuredValue] = 1

message TupleValue
  values: [StructuredValue] = 1

message DictValue
  fields: {string: StructuredValue} = 1

message PairValue
  key: string = 1
  value: StructuredValue = 2

message NamedTupleValue
  name: string = 1
  values: [PairValue] = 2

message TensorSpecProto
  name: string = 1
  shape: TensorShapeProto = 2
  dtype: DataType = 3

message BoundedTensorSpecProto
  name: string = 1
  shape: TensorShapeProto = 2
  dtype: DataType = 3
  minimum: TensorProto = 4
  maximum: TensorProto = 5

message TypeSpecProto
  type_spec_class: TypeSpecProto.TypeSpecClass = 1
  type_state: StructuredValue = 2
  type_spec_class_name: string = 3
  num_flat_components: int32 = 4

message CompositeTensorVariantMetadata
  type_spec_proto: TypeSpecProto = 1

enum TypeSpecProto.TypeSpecClass
  UNKNOWN=0 SPARSE_TENSOR_SPEC=1 INDEXED_SLICES_SPEC=2 RAGGED_TENSOR_SPEC=3 TENSOR_ARRAY_SPEC=4
  DATA_DATASET_SPEC=5 DATA_ITERATOR_SPEC=6 OPTIONAL_SPEC=7 PER_REPLICA_SPEC=8 VARIABLE_SPEC=9
  ROW_PARTITION_SPEC=10 REGISTERED_TYPE_SPEC=12 EXTENSION_TYPE_SPEC=13
"""
