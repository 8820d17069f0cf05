"""What a program did, for TensorBoard's debugger; where operations of a graph come from."""

SCHEMA = """
message GraphDebugInfo
  files: [string] = 1
  frames_by_id: {fixed64: GraphDebugInfo.FileLineCol} = 4
  traces_by_id: {fixed64: GraphDebugInfo.StackTrace} = 6
  traces: {string: GraphDebugInfo.StackTrace} = 2
  name_to_trace_id: {string: fixed64} = 5

message GraphDebugInfo.FileLineCol
  file_index: int32 = 1
  line: int32 = 2
  col: int32 = 3
  func: string = 4
  code: string = 5

message GraphDebugInfo.StackTrace
  file_line_cols: [GraphDebugInfo.FileLineCol] = 1
  frame_id: [fixed64] = 2

enum TensorDebugMode
  UNSPECIFIED=0 NO_TENSOR=1 CURT_HEALTH=2 CONCISE_HEALTH=3 FULL_HEALTH=4 SHAPE=5
  FULL_NUMERICS=6 FULL_TENSOR=7 REDUCE_INF_NAN_THREE_SLOTS=8

message DebugEvent
  wall_time: double = 1
  step: int64 = 2
  oneof what
    debug_metadata: DebugMetadata = 3
    source_file: SourceFile = 4
    stack_frame_with_id: StackFrameWithId = 6
    graph_op_creation: GraphOpCreation = 7
    debugged_graph: DebuggedGraph = 8
    execution: Execution = 9
    graph_execution_trace: GraphExecutionTrace = 10
    graph_id: string = 11
    debugged_device: DebuggedDevice = 12

message DebugMetadata
  tensorflow_version: string = 1
  file_version: string = 2
  tfdbg_run_id: string = 3

message SourceFile
  file_path: string = 1
  host_name: string = 2
  lines: [string] = 3

message StackFrameWithId
  id: string = 1
  file_line_col: GraphDebugInfo.FileLineCol = 2

message CodeLocation
  host_name: string = 1
  stack_frame_ids: [string] = 2

message GraphOpCreation
  op_type: string = 1
  op_name: string = 2
  graph_name: string = 3
  graph_id: string = 4
  device_name: string = 5
  input_names: [string] = 6
  num_outputs: int32 = 7
  code_location: CodeLocation = 8
  output_tensor_ids: [int32] = 9

message DebuggedGraph
  graph_id: string = 1
  graph_name: string = 2
  instrumented_ops: [string] = 3
  original_graph_def: bytes = 4
  instrumented_graph_def: bytes = 5
  outer_context_id: string = 6

message DebuggedDevice
  device_name: string = 1
  device_id: int32 = 2

message Execution
  op_type: string = 1
  num_outputs: int32 = 2
  graph_id: string = 3
  input_tensor_ids: [int64] = 4
  output_tensor_ids: [int64] = 5
  tensor_debug_mode: TensorDebugMode = 6
  tensor_protos: [TensorProto] = 7
  code_location: CodeLocation = 8
  output_tensor_device_ids: [int32] = 9

message GraphExecutionTrace
  tfdbg_context_id: string = 1
  op_name: string = 2
  output_slot: int32 = 3
  tensor_debug_mode: TensorDebugMode = 4
  tensor_proto: TensorProto = 5
  device_name: string = 6
"""
