"""Records of features."""

SCHEMA = """
message BytesList
  value: [bytes] = 1

message FloatList
  value: [float] = 1

message Int64List
  value: [int64] = 1

message Feature
  oneof kind
    bytes_list: BytesList = 1
    float_list: FloatList = 2
    int64_list: Int64List = 3

message Features
  feature: {string: Feature} = 1

message FeatureList
  feature: [Feature] = 1

message FeatureLists
  feature_list: {string: FeatureList} = 1

message Example
  features: Features = 1

message SequenceExample
  context: Features = 1
  feature_lists: FeatureLists = 2
"""
