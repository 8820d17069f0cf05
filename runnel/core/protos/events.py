"""Event files: summaries, histograms, logs."""

SCHEMA = """
message HistogramProto
  min: double = 1
  max: double = 2
  num: double = 3
  sum: double = 4
  sum_squares: double = 5
  bucket_limit: [double] = 6
  bucket: [double] = 7

enum DataClass
  DATA_CLASS_UNKNOWN=0 DATA_CLASS_SCALAR=1 DATA_CLASS_TENSOR=2 DATA_CLASS_BLOB_SEQUENCE=3

message SummaryDescription
  type_hint: string = 1

message SummaryMetadata
  plugin_data: SummaryMetadata.PluginData = 1
  display_name: string = 2
  summary_description: string = 3
  data_class: DataClass = 4

message SummaryMetadata.PluginData
  plugin_name: string = 1
  content: bytes = 2

message Summary
  value: [Summary.Value] = 1

message Summary.Image
  height: int32 = 1
  width: int32 = 2
  colorspace: int32 = 3
  encoded_image_string: bytes = 4

message Summary.Audio
  sample_rate: float = 1
  num_channels: int64 = 2
  length_frames: int64 = 3
  encoded_audio_string: bytes = 4
  content_type: string = 5

message Summary.Value
  node_name: string = 7
  tag: string = 1
  metadata: SummaryMetadata = 9
  oneof value
    simple_value: float = 2
    obsolete_old_style_histogram: bytes = 3
    image: Summary.Image = 4
    histo: HistogramProto = 5
    audio: Summary.Audio = 6
    tensor: TensorProto = 8

message Event
  wall_time: double = 1
  step: int64 = 2
  oneof what
    file_version: string = 3
    graph_def: bytes = 4
    summary: Summary = 5
    log_message: LogMessage = 6
    session_log: SessionLog = 7
    tagged_run_metadata: TaggedRunMetadata = 8
    meta_graph_def: bytes = 9
  source_metadata: SourceMetadata = 10

message SourceMetadata
  writer: string = 1

message LogMessage
  level: LogMessage.Level = 1
  message: string = 2

enum LogMessage.Level
  UNKNOWN=0 DEBUGGING=10 INFO=20 WARN=30 ERROR=40 FATAL=50

message SessionLog
  status: SessionLog.SessionStatus = 1
  checkpoint_path: string = 2
  msg: string = 3

enum SessionLog.SessionStatus
  STATUS_UNSPECIFIED=0 START=1 STOP=2 CHECKPOINT=3

message TaggedRunMetadata
  tag: string = 1
  run_metadata: bytes = 2
"""
