"""How sessions are run, and what is known of runs: graphs, times, memory; what was measured."""

SCHEMA = """
message RunOptions
  trace_level: RunOptions.TraceLevel = 1
  timeout_in_ms: int64 = 2
  inter_op_thread_pool: int32 = 3
  output_partition_graphs: bool = 5
  debug_options: DebugOptions = 6
  report_tensor_allocations_upon_oom: bool = 7
  experimental: RunOptions.Experimental = 8

enum RunOptions.TraceLevel
  NO_TRACE=0 SOFTWARE_TRACE=1 HARDWARE_TRACE=2 FULL_TRACE=3

message RunOptions.Experimental
  collective_graph_key: int64 = 1
  use_run_handler_pool: bool = 2
  run_handler_pool_options: RunOptions.Experimental.RunHandlerPoolOptions = 3

message RunOptions.Experimental.RunHandlerPoolOptions
  priority: int64 = 1

message DebugOptions
  debug_tensor_watch_opts: [DebugTensorWatch] = 4
  global_step: int64 = 10
  reset_disk_byte_usage: bool = 11

message DebugTensorWatch
  node_name: string = 1
  output_slot: int32 = 2
  debug_ops: [string] = 3
  debug_urls: [string] = 4
  tolerate_debug_op_creation_failures: bool = 5

message CallableOptions
  feed: [string] = 1
  fetch: [string] = 2
  target: [string] = 3
  run_options: RunOptions = 4
  tensor_connection: [TensorConnection] = 5
  feed_devices: {string: string} = 6
  fetch_devices: {string: string} = 7
  fetch_skip_sync: bool = 8

message TensorConnection
  from_tensor: string = 1
  to_tensor: string = 2

message RunMetadata
  step_stats: StepStats = 1
  cost_graph: CostGraphDef = 2
  partition_graphs: [GraphDef] = 3
  function_graphs: [RunMetadata.FunctionGraphs] = 4
  session_metadata: SessionMetadata = 5

message RunMetadata.FunctionGraphs
  partition_graphs: [GraphDef] = 1
  pre_optimization_graph: GraphDef = 2
  post_optimization_graph: GraphDef = 3

message StepStats
  dev_stats: [DeviceStepStats] = 1

message DeviceStepStats
  device: string = 1
  node_stats: [NodeExecStats] = 2
  thread_names: {uint32: string} = 3

message NodeExecStats
  node_name: string = 1
  all_start_micros: int64 = 2
  op_start_rel_micros: int64 = 3
  op_end_rel_micros: int64 = 4
  all_end_rel_micros: int64 = 5
  memory: [AllocatorMemoryUsed] = 6
  output: [NodeOutput] = 7
  timeline_label: string = 8
  scheduled_micros: int64 = 9
  thread_id: uint32 = 10
  referenced_tensor: [AllocationDescription] = 11
  memory_stats: MemoryStats = 12
  all_start_nanos: int64 = 13
  op_start_rel_nanos: int64 = 14
  op_end_rel_nanos: int64 = 15
  all_end_rel_nanos: int64 = 16
  scheduled_nanos: int64 = 17

message AllocatorMemoryUsed
  allocator_name: string = 1
  total_bytes: int64 = 2
  peak_bytes: int64 = 3
  live_bytes: int64 = 4
  allocation_records: [AllocationRecord] = 6
  allocator_bytes_in_use: int64 = 5

message AllocationRecord
  alloc_micros: int64 = 1
  alloc_bytes: int64 = 2

message NodeOutput
  slot: int32 = 1
  tensor_description: TensorDescription = 3

message TensorDescription
  dtype: DataType = 1
  shape: TensorShapeProto = 2
  allocation_description: AllocationDescription = 4

message AllocationDescription
  requested_bytes: int64 = 1
  allocated_bytes: int64 = 2
  allocator_name: string = 3
  allocation_id: int64 = 4
  has_single_reference: bool = 5
  ptr: uint64 = 6

message MemoryStats
  temp_memory_size: int64 = 1
  persistent_memory_size: int64 = 3
  persistent_tensor_alloc_ids: [int64] = 5
  device_temp_memory_size: int64 = 2
  device_persistent_memory_size: int64 = 4
  device_persistent_tensor_alloc_ids: [int64] = 6

message CostGraphDef
  node: [CostGraphDef.Node] = 1
  cost: [CostGraphDef.AggregatedCost] = 2

message CostGraphDef.Node
  name: string = 1
  device: string = 2
  id: int32 = 3
  input_info: [CostGraphDef.Node.InputInfo] = 4
  output_info: [CostGraphDef.Node.OutputInfo] = 5
  temporary_memory_size: int64 = 6
  persistent_memory_size: int64 = 12
  host_temp_memory_size: int64 = 10
  device_temp_memory_size: int64 = 11
  device_persistent_memory_size: int64 = 16
  compute_cost: int64 = 9
  compute_time: int64 = 14
  memory_time: int64 = 15
  is_final: bool = 7
  control_input: [int32] = 8
  inaccurate: bool = 17

message CostGraphDef.Node.InputInfo
  preceding_node: int32 = 1
  preceding_port: int32 = 2

message CostGraphDef.Node.OutputInfo
  size: int64 = 1
  alias_input_port: int64 = 2
  shape: TensorShapeProto = 3
  dtype: DataType = 4

message CostGraphDef.AggregatedCost
  cost: float = 1
  dimension: string = 2

message BenchmarkEntries
  entry: [BenchmarkEntry] = 1

message BenchmarkEntry
  name: string = 1
  iters: int64 = 2
  cpu_time: double = 3
  wall_time: double = 4
  throughput: double = 5
  extras: {string: EntryValue} = 6
  metrics: [MetricEntry] = 7

message EntryValue
  oneof kind
    double_value: double = 1
    string_value: string = 2

message MetricEntry
  name: string = 1
  value: double = 2
  min_value: google.protobuf.DoubleValue = 3
  max_value: google.protobuf.DoubleValue = 4
"""
