"""Lookup tables that a dataset fills."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core import dtypes
from runnel.core.convert import convert_to_tensor
from runnel.core.dtypes import as_dtype
from runnel.core.raw import raw_ops
from runnel.core.type_spec import TensorSpec
from runnel.core.types import DTypeLike
from runnel.data.dataset import Dataset
from runnel.data.structure import raw
from runnel.ops.lookup_initializers import TableInitializerBase
from runnel.ops.lookup_static import StaticHashTable, StaticVocabularyTable

_FAST = "farmhash"  # how words outside a vocabulary are put into buckets


class DatasetInitializer(TableInitializerBase):
    """Fills a table with the pairs of key and value that a dataset has.

    >>> keys, values = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
    >>> init = tf.data.experimental.DatasetInitializer(tf.data.Dataset.zip((keys, values)))
    >>> table = tf.lookup.StaticHashTable(init, -1)
    >>> table.lookup(tf.constant([1, 5], tf.int64)).numpy()
    array([11, -1])
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        spec = dataset.element_spec
        if not (isinstance(spec, tuple) and len(spec) == 2):
            raise TypeError(f"DatasetInitializer: elements must be pairs, got {spec}.")
        for part in spec:
            if not isinstance(part, TensorSpec) or part.shape.rank != 0:
                raise TypeError(f"DatasetInitializer: keys and values must be scalars, got {part}.")
        super().__init__(spec[0].dtype, spec[1].dtype)

    def initialize(self, table: Any) -> Any:
        """Fill `table`."""
        self._check(table)
        pairs = [(raw(key), raw(value)) for key, value in self._dataset]
        columns = [
            _column([pair[i] for pair in pairs], dtype)
            for i, dtype in enumerate((self.key_dtype, self.value_dtype))
        ]
        return raw_ops.LookupTableImportV2(table.resource_handle, *columns)


def _column(values: list[Any], dtype: Any) -> Any:
    column = np.empty(len(values), dtype.np_dtype)
    for i, value in enumerate(values):
        column[i] = value[()]
    return convert_to_tensor(column, dtype=dtype)


def table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = None,
    hasher_spec: Any = _FAST,
    key_dtype: DTypeLike = dtypes.string,
    name: str | None = None,
) -> Any:
    """A lookup table of the pairs of key and value that a dataset has.

    >>> pairs = tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)))
    >>> table = tf.data.experimental.table_from_dataset(
    ...     pairs, default_value=-1, key_dtype=tf.int64
    ... )
    >>> table.lookup(tf.constant([2], tf.int64)).numpy()
    array([12])
    """
    if dataset is None:
        raise ValueError("table_from_dataset: `dataset` is missing.")
    if num_oov_buckets < 0:
        raise ValueError(
            f"table_from_dataset: `num_oov_buckets` must not be negative, got {num_oov_buckets}."
        )
    if hasher_spec != _FAST:
        raise NotImplementedError("table_from_dataset: only the default hasher_spec is supported.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"table_from_dataset: `vocab_size` must be positive, got {vocab_size}.")
    if vocab_size is not None:
        dataset = dataset.take(vocab_size)
    initializer = DatasetInitializer(dataset)
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, as_dtype(key_dtype), name)
    if default_value is None:
        default_value = -1
    return StaticHashTable(initializer, default_value, name)


def index_table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: Any = _FAST,
    key_dtype: DTypeLike = dtypes.string,
    name: str | None = None,
) -> Any:
    """A lookup table from the elements of a dataset to their numbers.

    >>> words = tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> table = tf.data.experimental.index_table_from_dataset(words)
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 1, -1])
    """
    if dataset is None:
        raise ValueError("index_table_from_dataset: `dataset` is missing.")
    numbered = dataset.enumerate().map(lambda number, key: (key, number))
    return table_from_dataset(
        numbered, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name
    )
