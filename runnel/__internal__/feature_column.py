"""`tf.__internal__.feature_column`: what layers of columns need."""

from runnel.v1.columns.base import DenseColumn as DenseColumn
from runnel.v1.columns.base import FeatureColumn as FeatureColumn
from runnel.v1.columns.base import SequenceDenseColumn as SequenceDenseColumn
from runnel.v1.columns.cache import FeatureTransformationCache as FeatureTransformationCache
from runnel.v1.columns.names import checked_columns as checked_columns
from runnel.v1.columns.names import refuse_different_batches as refuse_different_batches
from runnel.v1.columns.serialization import deserialize_feature_column as deserialize_feature_column
from runnel.v1.columns.serialization import serialize_feature_column as serialize_feature_column
from runnel.v1.columns.state import StateManager as StateManager
