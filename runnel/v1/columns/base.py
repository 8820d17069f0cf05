"""What a column is: a name, what it makes of features, and how it is written down."""

from __future__ import annotations

import abc
from typing import Any, NamedTuple

import runnel as tf


class IdWeightPair(NamedTuple):
    """Categories of examples as a sparse tensor of numbers, and perhaps how much each counts."""

    id_tensor: Any
    weight_tensor: Any


class TensorSequenceLengthPair(NamedTuple):
    """Sequences as a tensor, padded, and how long each is."""

    dense_tensor: Any
    sequence_length: Any


class FeatureColumn(abc.ABC):
    """From features by name to a tensor; subclasses are named tuples of their settings.

    `cache.get(key, manager)` gives a feature by name or what another column made, and the manager
    keeps the variables and tables of columns.
    """

    _fields: tuple[str, ...]
    # The settings that are columns themselves, and those that are dtypes.
    _columns: tuple[str, ...] = ()
    _dtypes: tuple[str, ...] = ()

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """What the column is called; no two columns of a layer have one name."""

    @property
    @abc.abstractmethod
    def parse_example_spec(self) -> dict[str, Any]:
        """How `tf.io.parse_example` reads the features that this column needs."""

    @property
    @abc.abstractmethod
    def parents(self) -> list[Any]:
        """The columns and features that this one is made of."""

    @abc.abstractmethod
    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        """What the column makes of the features; the cache keeps it."""

    def create_state(self, state_manager: Any) -> None:  # noqa: B027 (most columns have none)
        """Make variables, if the column has any."""

    @property
    def _is_v2_column(self) -> bool:
        return True

    def get_config(self) -> dict[str, Any]:
        """The settings as plain data."""
        return self._get_config()

    def _get_config(self) -> dict[str, Any]:
        raise NotImplementedError(f"{type(self).__name__} does not say how it is written down.")

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Any = None, columns_by_name: Any = None
    ) -> Any:
        """The column that was written down; equal ones of one model are one object."""
        return cls._from_config(config, custom_objects, columns_by_name)

    @classmethod
    def _from_config(
        cls, config: dict[str, Any], custom_objects: Any = None, columns_by_name: Any = None
    ) -> Any:
        raise NotImplementedError(f"{cls.__name__} does not say how it is read.")

    def __lt__(self, other: Any) -> bool:
        return str(self) < str(other)

    def __gt__(self, other: Any) -> bool:
        return str(self) > str(other)


class DenseColumn(FeatureColumn):
    """A column that makes a dense tensor, as `tf.keras.layers.DenseFeatures` takes them."""

    @property
    @abc.abstractmethod
    def variable_shape(self) -> tf.TensorShape:
        """The shape of what one example becomes."""

    @abc.abstractmethod
    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        """The tensor, of shape [batch, *variable_shape]."""


class CategoricalColumn(FeatureColumn):
    """A column that makes categories, numbered from 0."""

    @property
    @abc.abstractmethod
    def num_buckets(self) -> Any:
        """How many categories there are."""

    @abc.abstractmethod
    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        """The categories of each example, and their weights if they have any."""


class SequenceDenseColumn(FeatureColumn):
    """A column that makes a tensor of sequences, for `tf.keras.experimental.SequenceFeatures`."""

    @abc.abstractmethod
    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: Any
    ) -> TensorSequenceLengthPair:
        """The tensor, of shape [batch, length, *variable_shape], and the lengths."""


CategoricalColumn.IdWeightPair = IdWeightPair  # type: ignore[attr-defined]
SequenceDenseColumn.TensorSequenceLengthPair = TensorSequenceLengthPair  # type: ignore[attr-defined]


class WordColumn(CategoricalColumn):
    """Categories that are read from one feature of words or integers."""

    key: str
    dtype: Any

    @property
    def name(self) -> str:
        return self.key

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: Any) -> IdWeightPair:
        return IdWeightPair(transformation_cache.get(self, state_manager), None)


class WrappingColumn(FeatureColumn):
    """A column around a categorical one."""

    categorical_column: Any
    _columns = ("categorical_column",)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return dict(self.categorical_column.parse_example_spec)

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]

    @property
    def _is_v2_column(self) -> bool:
        return isinstance(self.categorical_column, FeatureColumn)


def refuse_other_integers(column: Any, dtype: tf.DType) -> None:
    """Refuse strings for a column of integers, and the other way round."""
    if column.dtype.is_integer != dtype.is_integer:
        raise ValueError(
            f"{column.key}: the column's dtype is {column.dtype}, the feature's is {dtype}."
        )
