"""Columns of embeddings: a row of a table for each category, each column its own or shared."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import runnel as tf
from runnel.core.state.auto_trackable import AutoTrackable
from runnel.graph.session.default import get_default_graph
from runnel.v1.train.from_checkpoint import init_from_checkpoint
from runnel.v1.variables import initializers
from runnel.v1.variables.initializers import TruncatedNormal
from runnel.v1.variables.partitioning import PartitionedVariable
from runnel.v1.variables.scopes import get_variable
from .base import (
    CategoricalColumn,
    DenseColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
    WrappingColumn,
)
from .categorical import WeightedCategoricalColumn
from .sequence import SequenceCategoricalColumn, refuse_sequence, sequence_lengths, want_sequence
from .serialization import Written, register_feature_column


def _known_initializers() -> Mapping[str, Any]:
    return dict(inspect.getmembers(initializers, inspect.isclass))


class Lookup(DenseColumn, SequenceDenseColumn, WrappingColumn):
    """What columns with a table have in common."""

    combiner: str
    max_norm: float | None
    use_safe_embedding_lookup: bool
    _what = "embedding_column"

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        return transformation_cache.get(self.categorical_column, state_manager)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> tf.Tensor:
        refuse_sequence(self, self._what)
        return self._found(transformation_cache, state_manager)[0]

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> TensorSequenceLengthPair:
        want_sequence(self, self._what)
        rows, ids = self._found(transformation_cache, state_manager)
        return TensorSequenceLengthPair(rows, sequence_lengths(ids))

    def _found(self, cache: Any, state_manager: Any) -> tuple[tf.Tensor, Any]:
        """The embeddings, and the categories they belong to."""
        ids, weights = self.categorical_column.get_sparse_tensors(cache, state_manager)
        table = self._table(state_manager)
        tables = list(table) if isinstance(table, PartitionedVariable) else table
        rank = ids.dense_shape.shape[0]
        safe = self.use_safe_embedding_lookup or rank is None or rank > 2
        look_up = tf.nn.safe_embedding_lookup_sparse if safe else tf.nn.embedding_lookup_sparse
        options: Any = {"combiner": self.combiner, "max_norm": self.max_norm}
        return look_up(tables, ids, weights, name=f"{self.name}_weights", **options), ids

    def _table(self, state_manager: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no table.")


class _Embedding(NamedTuple):
    categorical_column: Any
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool = True


@register_feature_column
class EmbeddingColumn(Lookup, Written, _Embedding):  # type: ignore[misc]
    """The rows of a table of its own."""

    _objects = {"initializer": _known_initializers}

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_embedding"

    @property
    def variable_shape(self) -> tf.TensorShape:
        return tf.TensorShape([self.dimension])

    def create_state(self, state_manager: Any) -> None:
        """Make the table."""
        state_manager.create_variable(
            self,
            name="embedding_weights",
            shape=(self.categorical_column.num_buckets, self.dimension),
            dtype=tf.float32,
            trainable=self.trainable,
            use_resource=True,
            initializer=self.initializer,
        )

    def _table(self, state_manager: Any) -> Any:
        table = state_manager.get_variable(self, name="embedding_weights")
        load_rows(self.ckpt_to_load_from, self.tensor_name_in_ckpt, table)
        return table

    @classmethod
    def _from_config(
        cls, config: dict[str, Any], custom_objects: Any = None, columns_by_name: Any = None
    ) -> Any:
        whole = {"use_safe_embedding_lookup": True, **config}
        return super()._from_config(whole, custom_objects, columns_by_name)


def load_rows(checkpoint: str | None, tensor: str | None, table: Any) -> None:
    """Let a table begin with the values of a checkpoint, if one is named."""
    if checkpoint is not None:
        pieces = list(table) if isinstance(table, PartitionedVariable) else table
        init_from_checkpoint(checkpoint, {tensor: pieces})


def embedding_column(
    categorical_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """A learned vector for each category; those of one example are combined.

    >>> day = tf.feature_column.categorical_column_with_identity("day", 3)
    >>> column = tf.feature_column.embedding_column(day, 2, initializer=tf.ones_initializer())
    >>> tf.keras.layers.DenseFeatures([column])({"day": [[2], [0]]}).numpy()
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """
    first = checked_table(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    given = ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup
    return EmbeddingColumn(categorical_column, dimension, combiner, first, *given)


def checked_table(dimension: Any, initializer: Any, checkpoint: Any, tensor: Any) -> Any:
    """What a table begins with; refuse settings that make no table."""
    if dimension is None or dimension < 1:
        raise ValueError(f"`dimension` must be positive, got {dimension}.")
    if (checkpoint is None) != (tensor is None):
        raise ValueError("Give both of `ckpt_to_load_from` and `tensor_name_in_ckpt`, or neither.")
    if initializer is None:
        return TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dimension))
    if not callable(initializer):
        raise ValueError(f"`initializer` must be a function, got {initializer!r}.")
    return initializer


class SharedTable(AutoTrackable):
    """The table that several columns share, one in each graph."""

    def __init__(
        self, name: str, rows: Any, dimension: int, initializer: Any, trainable: bool, source: Any
    ) -> None:
        self._name, self._shape, self._initializer = name, (rows, dimension), initializer
        self._trainable, self._source = trainable, source
        self._embedding_weights: dict[Any, Any] = {}
        self.dimension = dimension

    @property
    def embedding_weights(self) -> Any:
        """The variable, made when the default graph first asks for it."""
        key = f"graph-{id(get_default_graph())}"
        if key not in self._embedding_weights:
            made = get_variable(
                self._name,
                shape=self._shape,
                dtype=tf.float32,
                initializer=self._initializer,
                trainable=self._trainable,
            )
            load_rows(self._source[0], self._source[1], made)
            self._embedding_weights[key] = made
        return self._embedding_weights[key]


class _Shared(NamedTuple):
    categorical_column: Any
    shared_embedding_column_creator: Any
    combiner: str
    max_norm: float | None
    use_safe_embedding_lookup: bool = True


@register_feature_column
class SharedEmbeddingColumn(Lookup, _Shared):  # type: ignore[misc]
    """The rows of a table that other columns use too."""

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def variable_shape(self) -> tf.TensorShape:
        return tf.TensorShape([self.shared_embedding_column_creator.dimension])

    def _found(self, cache: Any, state_manager: Any) -> tuple[tf.Tensor, Any]:
        with tf.name_scope(self.name):
            return super()._found(cache, state_manager)

    def _table(self, state_manager: Any) -> Any:
        return self.shared_embedding_column_creator.embedding_weights


def shared_embeddings(
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
) -> list[SharedEmbeddingColumn]:
    """Embedding columns that have one table together, in graphs of TensorFlow 1.

    >>> with tf.Graph().as_default():
    ...     kinds = [tf.feature_column.categorical_column_with_identity(k, 3) for k in "ab"]
    ...     [column.name for column in tf.feature_column.shared_embeddings(kinds, 2)]
    ['a_shared_embedding', 'b_shared_embedding']
    """
    if tf.executing_eagerly():
        raise RuntimeError("shared_embeddings: tables are shared in graphs, not in eager mode.")
    first = checked_table(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    name, rows = shared_name(categorical_columns, shared_embedding_collection_name)
    source = (ckpt_to_load_from, tensor_name_in_ckpt)
    table = SharedTable(name, rows, dimension, first, trainable, source)
    return [
        SharedEmbeddingColumn(column, table, combiner, max_norm, use_safe_embedding_lookup)
        for column in categorical_columns
    ]


def shared_name(columns: Sequence[Any], given: str | None) -> tuple[str, Any]:
    """The name and the number of rows of a table for several columns, which must be alike."""
    ordered = sorted(columns, key=lambda column: str(column.name))
    if not isinstance(ordered[0], CategoricalColumn):
        raise ValueError(f"Tables are shared by categorical columns, got {ordered[0]!r}.")
    rows, first = ordered[0].num_buckets, _innermost(ordered[0])
    for column in map(_innermost, ordered[1:]):
        if not isinstance(column, type(first)):
            raise ValueError(
                f"Columns that share a table must be of one class, got {first!r} and {column!r}."
            )
        if column.num_buckets != rows:
            raise ValueError(
                f"Columns that share a table must have as many categories as each other, got "
                f"{rows} of {first!r} and {column.num_buckets} of {column!r}."
            )
    return given or "_".join([c.name for c in ordered] + ["shared_embedding"]), rows


def _innermost(column: Any) -> Any:
    while isinstance(column, (WeightedCategoricalColumn, SequenceCategoricalColumn)):
        column = column.categorical_column
    return column
