"""What profiles of graphs and their runs say, and what is noted of operations for them."""

SCHEMA = """
message TFProfTensorProto
  dtype: DataType = 1
  value_double: [double] = 2
  value_int64: [int64] = 3
  value_str: [string] = 4

message GraphNodeProto
  name: string = 1
  tensor_value: TFProfTensorProto = 15
  run_count: int64 = 21
  exec_micros: int64 = 2
  accelerator_exec_micros: int64 = 17
  cpu_exec_micros: int64 = 18
  requested_bytes: int64 = 3
  peak_bytes: int64 = 24
  residual_bytes: int64 = 25
  output_bytes: int64 = 26
  parameters: int64 = 4
  float_ops: int64 = 13
  devices: [string] = 10
  total_definition_count: int64 = 23
  total_run_count: int64 = 22
  total_exec_micros: int64 = 6
  total_accelerator_exec_micros: int64 = 19
  total_cpu_exec_micros: int64 = 20
  total_requested_bytes: int64 = 7
  total_peak_bytes: int64 = 27
  total_residual_bytes: int64 = 28
  total_output_bytes: int64 = 29
  total_parameters: int64 = 8
  total_float_ops: int64 = 14
  shapes: [TensorShapeProto] = 11
  input_shapes: {int32: TensorShapeProto} = 16
  children: [GraphNodeProto] = 12

message MultiGraphNodeProto
  name: string = 1
  exec_micros: int64 = 2
  accelerator_exec_micros: int64 = 12
  cpu_exec_micros: int64 = 13
  requested_bytes: int64 = 3
  peak_bytes: int64 = 16
  residual_bytes: int64 = 17
  output_bytes: int64 = 18
  parameters: int64 = 4
  float_ops: int64 = 5
  total_exec_micros: int64 = 6
  total_accelerator_exec_micros: int64 = 14
  total_cpu_exec_micros: int64 = 15
  total_requested_bytes: int64 = 7
  total_peak_bytes: int64 = 19
  total_residual_bytes: int64 = 20
  total_output_bytes: int64 = 21
  total_parameters: int64 = 8
  total_float_ops: int64 = 9
  graph_nodes: [GraphNodeProto] = 10
  children: [MultiGraphNodeProto] = 11

message AdviceProto
  checkers: {string: AdviceProto.Checker} = 1

message AdviceProto.Checker
  reports: [string] = 2

message CodeDef
  traces: [CodeDef.Trace] = 1

message CodeDef.Trace
  file_id: int64 = 6
  lineno: int32 = 2
  function_id: int64 = 7
  line_id: int64 = 8
  func_start_line: int32 = 5

message OpLogEntry
  name: string = 1
  float_ops: int64 = 2
  types: [string] = 3
  code_def: CodeDef = 4

message OpLogProto
  log_entries: [OpLogEntry] = 1
  id_to_string: {int64: string} = 2
"""
