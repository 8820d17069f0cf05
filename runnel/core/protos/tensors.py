"""Element types, shapes, tensors and slices of tensors."""

SCHEMA = """
enum DataType
  DT_INVALID=0 DT_FLOAT=1 DT_DOUBLE=2 DT_INT32=3 DT_UINT8=4 DT_INT16=5 DT_INT8=6 DT_STRING=7
  DT_COMPLEX64=8 DT_INT64=9 DT_BOOL=10 DT_QINT8=11 DT_QUINT8=12 DT_QINT32=13 DT_BFLOAT16=14
  DT_QINT16=15 DT_QUINT16=16 DT_UINT16=17 DT_COMPLEX128=18 DT_HALF=19 DT_RESOURCE=20
  DT_VARIANT=21 DT_UINT32=22 DT_UINT64=23 DT_FLOAT8_E5M2=24 DT_FLOAT8_E4M3FN=25
  DT_FLOAT8_E4M3FNUZ=26 DT_FLOAT8_E4M3B11FNUZ=27 DT_FLOAT8_E5M2FNUZ=28 DT_INT4=29 DT_UINT4=30
  DT_INT2=31 DT_UINT2=32 DT_FLOAT4_E2M1FN=33 DT_FLOAT_REF=101 DT_DOUBLE_REF=102 DT_INT32_REF=103
  DT_UINT8_REF=104 DT_INT16_REF=105 DT_INT8_REF=106 DT_STRING_REF=107 DT_COMPLEX64_REF=108
  DT_INT64_REF=109 DT_BOOL_REF=110 DT_QINT8_REF=111 DT_QUINT8_REF=112 DT_QINT32_REF=113
  DT_BFLOAT16_REF=114 DT_QINT16_REF=115 DT_QUINT16_REF=116 DT_UINT16_REF=117
  DT_COMPLEX128_REF=118 DT_HALF_REF=119 DT_RESOURCE_REF=120 DT_VARIANT_REF=121 DT_UINT32_REF=122
  DT_UINT64_REF=123 DT_FLOAT8_E5M2_REF=124 DT_FLOAT8_E4M3FN_REF=125 DT_FLOAT8_E4M3FNUZ_REF=126
  DT_FLOAT8_E4M3B11FNUZ_REF=127 DT_FLOAT8_E5M2FNUZ_REF=128 DT_INT4_REF=129 DT_UINT4_REF=130
  DT_INT2_REF=131 DT_UINT2_REF=132 DT_FLOAT4_E2M1FN_REF=133

message SerializedDType
  datatype: DataType = 1

message TensorShapeProto
  dim: [TensorShapeProto.Dim] = 2
  unknown_rank: bool = 3

message TensorShapeProto.Dim
  size: int64 = 1
  name: string = 2

message TensorSliceProto
  extent: [TensorSliceProto.Extent] = 1

message TensorSliceProto.Extent
  start: int64 = 1
  oneof has_length_hack
    length: int64 = 2

message ResourceHandleProto
  device: string = 1
  container: string = 2
  name: string = 3
  hash_code: uint64 = 4
  maybe_type_name: string = 5
  dtypes_and_shapes: [ResourceHandleProto.DtypeAndShape] = 6

message ResourceHandleProto.DtypeAndShape
  dtype: DataType = 1
  shape: TensorShapeProto = 2

message TensorProto
  dtype: DataType = 1
  tensor_shape: TensorShapeProto = 2
  version_number: int32 = 3
  tensor_content: bytes = 4
  half_val: [int32] = 13
  float_val: [float] = 5
  double_val: [double] = 6
  int_val: [int32] = 7
  string_val: [bytes] = 8
  scomplex_val: [float] = 9
  int64_val: [int64] = 10
  bool_val: [bool] = 11
  dcomplex_val: [double] = 12
  resource_handle_val: [ResourceHandleProto] = 14
  variant_val: [VariantTensorDataProto] = 15
  uint32_val: [uint32] = 16
  uint64_val: [uint64] = 17
  float8_val: bytes = 18

message VariantTensorDataProto
  type_name: string = 1
  metadata: bytes = 2
  tensors: [TensorProto] = 3
"""
