"""Options of sessions and servers."""

SCHEMA = """
message JobDef
  name: string = 1
  tasks: {int32: string} = 2

message ClusterDef
  job: [JobDef] = 1

message TaskDeviceFilters
  device_filters: [string] = 1

message JobDeviceFilters
  name: string = 1
  tasks: {int32: TaskDeviceFilters} = 2

message ClusterDeviceFilters
  jobs: [JobDeviceFilters] = 1

message RPCOptions
  use_rpc_for_inprocess_master: bool = 1
  compression_algorithm: string = 2
  compression_level: int32 = 3
  cache_rpc_response: bool = 4
  disable_session_connection_sharing: bool = 5
  num_channels_per_target: int32 = 6

message CoordinatedJob
  name: string = 1
  num_tasks: int32 = 2

message CoordinationServiceConfig
  service_type: string = 1
  service_leader: string = 2
  enable_health_check: bool = 3
  cluster_register_timeout_in_ms: int64 = 4
  cluster_register_with_barrier: bool = 14
  heartbeat_timeout_in_ms: int64 = 5
  coordinated_job_list: [CoordinatedJob] = 10
  shutdown_barrier_timeout_in_ms: int64 = 7
  agent_destruction_without_shutdown: bool = 8
  recoverable_jobs: [string] = 9
  allow_new_incarnation_to_reconnect: bool = 11
  force_disable: bool = 12
  poll_for_error_from_service_at_startup: bool = 13

message VerifierConfig
  verification_timeout_in_ms: int64 = 1
  structure_verifier: VerifierConfig.Toggle = 2

enum VerifierConfig.Toggle
  DEFAULT=0 ON=1 OFF=2

message AutoParallelOptions
  enable: bool = 1
  num_replicas: int32 = 2

message ScopedAllocatorOptions
  enable_op: [string] = 1

message RewriterConfig
  cpu_layout_conversion: RewriterConfig.CpuLayout = 50
  layout_optimizer: RewriterConfig.Toggle = 1
  constant_folding: RewriterConfig.Toggle = 3
  shape_optimization: RewriterConfig.Toggle = 13
  remapping: RewriterConfig.Toggle = 14
  common_subgraph_elimination: RewriterConfig.Toggle = 24
  arithmetic_optimization: RewriterConfig.Toggle = 7
  dependency_optimization: RewriterConfig.Toggle = 8
  loop_optimization: RewriterConfig.Toggle = 9
  function_optimization: RewriterConfig.Toggle = 10
  debug_stripper: RewriterConfig.Toggle = 11
  disable_model_pruning: bool = 2
  scoped_allocator_optimization: RewriterConfig.Toggle = 15
  pin_to_host_optimization: RewriterConfig.Toggle = 18
  implementation_selector: RewriterConfig.Toggle = 22
  auto_mixed_precision: RewriterConfig.Toggle = 23
  auto_mixed_precision_mkl: RewriterConfig.Toggle = 25
  auto_mixed_precision_onednn_bfloat16: RewriterConfig.Toggle = 31
  auto_mixed_precision_cpu: RewriterConfig.Toggle = 29
  disable_meta_optimizer: bool = 19
  disable_tfg_optimizer: bool = 32
  use_plugin_optimizers: RewriterConfig.Toggle = 28
  experimental_conditional_code_motion: RewriterConfig.Toggle = 30
  meta_optimizer_iterations: RewriterConfig.NumIterationsType = 12
  min_graph_nodes: int32 = 17
  experimental_disable_compressed_tensor_optimization: bool = 26
  experimental_disable_folding_quantization_emulation: bool = 27
  memory_optimization: RewriterConfig.MemOptType = 4
  memory_optimizer_target_node_name_scope: string = 6
  meta_optimizer_timeout_ms: int64 = 20
  auto_parallel: AutoParallelOptions = 5
  fail_on_optimizer_errors: bool = 21
  scoped_allocator_opts: ScopedAllocatorOptions = 16
  optimizers: [string] = 100
  custom_optimizers: [RewriterConfig.CustomGraphOptimizer] = 200
  inter_optimizer_verifier_config: VerifierConfig = 300
  post_optimization_verifier_config: VerifierConfig = 301

enum RewriterConfig.Toggle
  DEFAULT=0 ON=1 OFF=2 AGGRESSIVE=3 EXPERIMENTAL_MLIR=4 EXPERIMENTAL_BOTH=5

enum RewriterConfig.CpuLayout
  NO_CONVERSION_ON_CPU=0 NCHW_TO_NHWC=1 NHWC_TO_NCHW=2

enum RewriterConfig.NumIterationsType
  DEFAULT_NUM_ITERS=0 ONE=1 TWO=2

enum RewriterConfig.MemOptType
  DEFAULT_MEM_OPT=0 NO_MEM_OPT=1 MANUAL=2 SWAPPING_HEURISTICS=4 RECOMPUTATION_HEURISTICS=5
  SCHEDULING_HEURISTICS=6 HEURISTICS=3

message RewriterConfig.CustomGraphOptimizer
  name: string = 1
  parameter_map: {string: AttrValue} = 2

message GPUOptions
  per_process_gpu_memory_fraction: double = 1
  allow_growth: bool = 4
  allocator_type: string = 2
  deferred_deletion_bytes: int64 = 3
  visible_device_list: string = 5
  polling_active_delay_usecs: int32 = 6
  polling_inactive_delay_msecs: int32 = 7
  force_gpu_compatible: bool = 8
  experimental: GPUOptions.Experimental = 9

message GPUOptions.Experimental
  virtual_devices: [GPUOptions.Experimental.VirtualDevices] = 1
  num_virtual_devices_per_gpu: int32 = 15
  use_unified_memory: bool = 2
  num_dev_to_dev_copy_streams: int32 = 3
  collective_ring_order: string = 4
  timestamped_allocator: bool = 5
  kernel_tracker_max_interval: int32 = 7
  kernel_tracker_max_bytes: int32 = 8
  kernel_tracker_max_pending: int32 = 9
  internal_fragmentation_fraction: double = 10
  use_cuda_malloc_async: bool = 11
  disallow_retry_on_allocation_failure: bool = 12
  gpu_host_mem_limit_in_mb: float = 13
  gpu_host_mem_disallow_growth: bool = 14
  gpu_system_memory_size_in_mb: int32 = 16
  populate_pjrt_gpu_client_creation_info: bool = 17
  node_id: int32 = 18
  stream_merge_options: GPUOptions.Experimental.StreamMergeOptions = 19

message GPUOptions.Experimental.VirtualDevices
  memory_limit_mb: [float] = 1
  priority: [int32] = 2
  device_ordinal: [int32] = 3

message GPUOptions.Experimental.StreamMergeOptions
  merge_host_to_device_stream: bool = 1
  merge_device_to_host_stream: bool = 2
  merge_device_to_device_stream: bool = 3

message OptimizerOptions
  do_common_subexpression_elimination: bool = 1
  do_constant_folding: bool = 2
  max_folded_constant_in_bytes: int64 = 6
  do_function_inlining: bool = 4
  opt_level: OptimizerOptions.Level = 3
  global_jit_level: OptimizerOptions.GlobalJitLevel = 5
  cpu_global_jit: bool = 7

enum OptimizerOptions.Level
  L1=0 L0=-1

enum OptimizerOptions.GlobalJitLevel
  DEFAULT=0 OFF=-1 ON_1=1 ON_2=2

message GraphOptions
  enable_recv_scheduling: bool = 2
  optimizer_options: OptimizerOptions = 3
  build_cost_model: int64 = 4
  build_cost_model_after: int64 = 9
  infer_shapes: bool = 5
  place_pruned_graph: bool = 6
  enable_bfloat16_sendrecv: bool = 7
  timeline_step: int32 = 8
  rewrite_options: RewriterConfig = 10

message ThreadPoolOptionProto
  num_threads: int32 = 1
  global_name: string = 2

message SessionMetadata
  name: string = 1
  version: int64 = 2

message ConfigProto
  device_count: {string: int32} = 1
  intra_op_parallelism_threads: int32 = 2
  inter_op_parallelism_threads: int32 = 5
  use_per_session_threads: bool = 9
  session_inter_op_thread_pool: [ThreadPoolOptionProto] = 12
  placement_period: int32 = 3
  device_filters: [string] = 4
  gpu_options: GPUOptions = 6
  pluggable_device_options: GPUOptions = 18
  allow_soft_placement: bool = 7
  log_device_placement: bool = 8
  graph_options: GraphOptions = 10
  operation_timeout_in_ms: int64 = 11
  rpc_options: RPCOptions = 13
  cluster_def: ClusterDef = 14
  isolate_session_state: bool = 15
  share_cluster_devices_in_session: bool = 17
  experimental: ConfigProto.Experimental = 16

message ConfigProto.Experimental
  collective_group_leader: string = 1
  executor_type: string = 3
  recv_buf_max_chunk: int32 = 4
  use_numa_affinity: bool = 5
  collective_deterministic_sequential_execution: bool = 6
  collective_nccl: bool = 7
  share_session_state_in_clusterspec_propagation: bool = 8
  disable_thread_spinning: bool = 9
  share_cluster_devices_in_session: bool = 10
  session_metadata: SessionMetadata = 11
  optimize_for_static_graph: bool = 12
  enable_mlir_bridge: bool = 13
  mlir_bridge_rollout: ConfigProto.Experimental.MlirBridgeRollout = 17
  enable_mlir_graph_optimization: bool = 16
  disable_output_partition_graphs: bool = 14
  xla_fusion_autotuner_thresh: int64 = 15
  use_tfrt: bool = 18
  enable_multi_host: bool = 27
  tfrt_use_ifrt: bool = 32
  backend_server_port: int32 = 28
  target_tpu: bool = 29
  target_gpu: bool = 30
  stream_merge_threshold: int32 = 31
  disable_functional_ops_lowering: bool = 21
  xla_prefer_single_graph_cluster: bool = 22
  coordination_config: CoordinationServiceConfig = 23
  disable_optimize_for_static_graph: bool = 24
  disable_eager_executor_streaming_enqueue: bool = 26
  finalize_function_library_runtime: bool = 33
  finalize_resource_manager: bool = 34
  tf2xla_dump_dir: string = 35
  online_cost_analysis: bool = 36

enum ConfigProto.Experimental.MlirBridgeRollout
  MLIR_BRIDGE_ROLLOUT_UNSPECIFIED=0 MLIR_BRIDGE_ROLLOUT_ENABLED=1 MLIR_BRIDGE_ROLLOUT_DISABLED=2

message ServerDef
  cluster: ClusterDef = 1
  job_name: string = 2
  replica: int32 = 8
  task_index: int32 = 3
  default_session_config: ConfigProto = 4
  protocol: string = 5
  port: int32 = 6
  cluster_device_filters: ClusterDeviceFilters = 7
"""
