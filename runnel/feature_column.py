"""`tf.feature_column`: from named features to what models take."""

from runnel.v1.columns.categorical import (
    categorical_column_with_hash_bucket as categorical_column_with_hash_bucket,
)
from runnel.v1.columns.categorical import (
    categorical_column_with_identity as categorical_column_with_identity,
)
from runnel.v1.columns.categorical import crossed_column as crossed_column
from runnel.v1.columns.categorical import weighted_categorical_column as weighted_categorical_column
from runnel.v1.columns.embedding import embedding_column as embedding_column
from runnel.v1.columns.embedding import shared_embeddings as shared_embeddings
from runnel.v1.columns.examples import make_parse_example_spec as make_parse_example_spec
from runnel.v1.columns.indicator import indicator_column as indicator_column
from runnel.v1.columns.numeric import bucketized_column as bucketized_column
from runnel.v1.columns.numeric import numeric_column as numeric_column
from runnel.v1.columns.sequence import (
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
)
from runnel.v1.columns.sequence import (
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
)
from runnel.v1.columns.sequence import (  # noqa: F401 (two names, too long to be said twice)
    sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list,
)
from runnel.v1.columns.sequence import sequence_numeric_column as sequence_numeric_column
from runnel.v1.columns.vocabulary import (
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
)
from runnel.v1.columns.vocabulary import (
    categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list,
)
