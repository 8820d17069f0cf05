"""`input_layer` and `linear_model`: layers of columns in graphs of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import runnel as tf
from runnel.v1.variables.collections import GraphKeys, add_to_collection, get_collection
from runnel.v1.variables.initializers import Zeros
from runnel.v1.variables.partitioning import PartitionedVariable
from runnel.v1.variables.scopes import get_variable_scope, variable_scope
from .base import CategoricalColumn, DenseColumn, SequenceDenseColumn
from .cache import FeatureTransformationCache
from .embedding import Lookup, SharedEmbeddingColumn, checked_table, load_rows, shared_name
from .examples import joined_specs
from .names import checked_columns, refuse_different_batches
from .state import ScopeState
from .vocabulary import VocabularyFileCategoricalColumn
from .vocabulary import categorical_column_with_vocabulary_file as vocabulary_file_column


class _Shared(NamedTuple):
    categorical_column: Any
    dimension: int
    combiner: str
    initializer: Any
    shared_embedding_collection_name: str
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool


class _SharedEmbeddingColumn(Lookup, _Shared):  # type: ignore[misc]
    """The rows of a table that a collection of the graph keeps, for `input_layer`."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def scope_name(self) -> str:
        """The scope that the table is made in."""
        return self.shared_embedding_collection_name

    @property
    def variable_shape(self) -> tf.TensorShape:
        return tf.TensorShape([self.dimension])

    def _table(self, state_manager: Any) -> Any:
        title = self.shared_embedding_collection_name
        held, size = get_collection(title), (self.categorical_column.num_buckets, self.dimension)
        if len(held) > 1:
            raise ValueError(
                f"The collection {title} is for one table alone, and holds {held}. Choose another "
                "`shared_embedding_collection_name`."
            )
        if held and held[0].shape != size:
            raise ValueError(
                f"The table {held[0].name} in the collection {title} has the shape "
                f"{held[0].shape}, not {size}."
            )
        if held:
            table = held[0]
        else:
            table = state_manager.create_variable(
                self,
                name="embedding_weights",
                shape=size,
                dtype=tf.float32,
                trainable=self.trainable,
                initializer=self.initializer,
            )
            add_to_collection(title, table)
        load_rows(self.ckpt_to_load_from, self.tensor_name_in_ckpt, table)
        return table


def shared_embedding_columns(
    categorical_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[Any]:
    """Embedding columns that have one table together, for `input_layer`.

    >>> column = tf.feature_column.categorical_column_with_identity
    >>> with tf.Graph().as_default():
    ...     both = tf.compat.v1.feature_column.shared_embedding_columns(
    ...         [column("a", 3), column("b", 3)], 2
    ...     )
    ...     features = {"a": tf.constant([[0]]), "b": tf.constant([[1]])}
    ...     _ = tf.compat.v1.feature_column.input_layer(features, both)
    ...     [v.name for v in tf.compat.v1.global_variables()]
    ['input_layer/a_b_shared_embedding/embedding_weights:0']
    """
    if tf.executing_eagerly():
        raise RuntimeError("shared_embedding_columns: tables are shared in graphs alone.")
    first = checked_table(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    title, _ = shared_name(categorical_columns, shared_embedding_collection_name)
    return [
        _SharedEmbeddingColumn(
            column,
            dimension,
            combiner,
            first,
            title,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            max_norm,
            trainable,
            use_safe_embedding_lookup,
        )
        for column in categorical_columns
    ]


_KINDS = (DenseColumn, CategoricalColumn)


def make_parse_example_spec(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """As `tf.feature_column.make_parse_example_spec`, for columns that graphs of old take."""
    columns = list(feature_columns)
    for column in columns:
        _refuse_shared(column)
    return joined_specs(columns, _KINDS)


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: Any = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = tf.string,
) -> VocabularyFileCategoricalColumn:
    """The column of that name of TensorFlow 2, with its arguments in another order."""
    return vocabulary_file_column(
        key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
    )


def _refuse_shared(column: Any) -> None:
    if isinstance(column, SharedEmbeddingColumn):
        raise ValueError(
            f"{column.name}: shared_embeddings are for layers of Keras; take "
            "tf.compat.v1.feature_column.shared_embedding_columns here."
        )


def _scope_name(column: Any) -> str:
    return str(getattr(column, "scope_name", column.name))


def _collections(given: Any) -> list[str]:
    found = list(given or [])
    for name in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES):
        if name not in found:
            found.append(name)
    return found


def input_layer(
    features: dict[str, Any],
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
    cols_to_output_tensors: dict[Any, Any] | None = None,
) -> tf.Tensor:
    """The tensors of dense columns beside each other, in the order of their names.

    >>> age = tf.feature_column.numeric_column("age")
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     session.run(tf.compat.v1.feature_column.input_layer({"age": [[3.0], [4.0]]}, [age]))
    array([[3.],
           [4.]], dtype=float32)
    """
    columns = checked_columns(feature_columns, _KINDS)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "input_layer: columns must be dense; wrap categories in an embedding_column or an "
                f"indicator_column. Got {column!r}."
            )
    state = ScopeState(_collections(weight_collections), trainable)
    cache = FeatureTransformationCache(features)
    made = []
    with variable_scope(None, default_name="input_layer", values=features.values()):
        for column in columns:
            with variable_scope(None, default_name=_scope_name(column)):
                made.append(_flat(column, cache, state))
                if cols_to_vars is not None:
                    scope = get_variable_scope().name
                    cols_to_vars[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope)
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = made[-1]
        refuse_different_batches(made, columns)
        return tf.concat(made, 1)


def _flat(column: Any, cache: FeatureTransformationCache, state: ScopeState) -> tf.Tensor:
    _refuse_shared(column)
    column.create_state(state)
    tensor = column.get_dense_tensor(cache, state)
    return tf.reshape(tensor, [tf.shape(tensor)[0], column.variable_shape.num_elements()])


def linear_model(
    features: dict[str, Any],
    feature_columns: Any,
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
) -> tf.Tensor:
    """A weighted sum of all features, and a bias; categories have a weight each.

    >>> day = tf.feature_column.categorical_column_with_identity("day", 3)
    >>> with tf.Graph().as_default():
    ...     sums = tf.compat.v1.feature_column.linear_model({"day": [[0], [2]]}, [day], units=2)
    ...     [v.name for v in tf.compat.v1.global_variables()]
    ['linear_model/day/weights:0', 'linear_model/bias_weights:0']
    """
    columns = checked_columns(feature_columns, (*_KINDS, SequenceDenseColumn))
    for column in columns:
        if not isinstance(column, _KINDS):
            raise ValueError(f"linear_model: columns must be dense or categorical, got {column!r}.")
    state = ScopeState(_collections(weight_collections), trainable)
    cache = FeatureTransformationCache(features)
    sums: list[tf.Tensor] = []
    found: dict[Any, Any] = {}
    with variable_scope(None, default_name="linear_model") as whole:
        for column in columns:
            with variable_scope(None, default_name=_scope_name(column)) as scope:
                sums.append(_weighted_sum(column, cache, state, units, sparse_combiner))
                found[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope.name)
        refuse_different_batches(sums, columns)
        total = tf.add_n(sums, name="weighted_sum_no_bias")
        with variable_scope(whole), tf.name_scope(whole.original_name_scope):
            bias = state.variable("bias_weights", shape=[units], initializer=Zeros())
            result = tf.nn.bias_add(total, _tensor(bias), name="weighted_sum")
    found["bias"] = list(bias) if isinstance(bias, PartitionedVariable) else [bias]
    if cols_to_vars is not None:
        cols_to_vars.update(found)
    return result


def _tensor(variable: Any) -> Any:
    return variable.as_tensor() if isinstance(variable, PartitionedVariable) else variable


def _weighted_sum(
    column: Any, cache: FeatureTransformationCache, state: ScopeState, units: int, combiner: str
) -> tf.Tensor:
    if not isinstance(column, CategoricalColumn):
        flat = _flat(column, cache, state)
        weights = _weights(state, column.variable_shape.num_elements(), units)
        return tf.matmul(flat, _tensor(weights), name="weighted_sum")
    ids, counts = column.get_sparse_tensors(cache, state)
    rows = tf.concat([ids.dense_shape[:1], [-1]], axis=0)
    ids = tf.sparse.reshape(ids, rows)
    if counts is not None:
        counts = tf.sparse.reshape(counts, rows)
    table = _weights(state, column.num_buckets, units)
    return tf.nn.safe_embedding_lookup_sparse(
        list(table) if isinstance(table, PartitionedVariable) else table,
        ids,
        sparse_weights=counts,
        combiner=combiner,
        name="weighted_sum",
    )


def _weights(state: ScopeState, rows: Any, units: int) -> Any:
    return state.variable("weights", shape=[rows, units], initializer=Zeros())
