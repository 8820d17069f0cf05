"""Lookup tables that a dataset fills."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import as_dtype
from runnel.core.values.type_spec import TensorSpec
from runnel.core.values.types import DTypeLike
from runnel.data.dataset.base import checked
from runnel.data.dataset.dataset import Dataset
from runnel.data.run.structure import raw
from runnel.ops.resources.lookup_initializers import TableInitializerBase
from runnel.ops.resources.lookup_static import StaticHashTable, StaticVocabularyTable


class HasherSpec(NamedTuple):
    """How words outside a vocabulary are put into buckets."""

    hasher: str
    key: Any


class StrongHashSpec(HasherSpec):
    """A hash with a key, two numbers: whoever does not know them cannot fill one bucket."""

    __slots__ = ()

    def __new__(cls, key: Any) -> StrongHashSpec:
        if len(key) != 2:
            raise ValueError(f"StrongHashSpec: `key` must have size 2, got {len(key)}.")
        if any(not isinstance(part, int) or part < 0 for part in key):
            raise TypeError(f"StrongHashSpec: `key` must be unsigned integers, got {key!r}.")
        return super().__new__(cls, "stronghash", list(key))


FastHashSpec = HasherSpec("fasthash", None)


class _StronglyHashed(StaticVocabularyTable):
    """A vocabulary whose other words are hashed with a key."""

    def __init__(self, key: list[int], *arguments: Any) -> None:
        super().__init__(*arguments)
        self._key = key

    def _buckets(self, values: Any) -> Any:
        text = raw_ops.AsString(values) if self._lookup_dtype.is_integer else values
        count = self._num_oov_buckets
        return raw_ops.StringToHashBucketStrong(text, num_buckets=count, key=self._key)


def _vocabulary(spec: Any, *arguments: Any) -> StaticVocabularyTable:
    if not isinstance(spec, HasherSpec):
        raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {type(spec)}.")
    if spec.hasher == "fasthash":
        return StaticVocabularyTable(*arguments)
    if spec.hasher != "stronghash":
        raise ValueError(f"`hasher_spec` has the unknown hasher {spec.hasher!r}.")
    return _StronglyHashed(spec.key, *arguments)


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
        spec = checked(dataset, "DatasetInitializer").element_spec
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
    hasher_spec: Any = FastHashSpec,
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
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"table_from_dataset: `vocab_size` must be positive, got {vocab_size}.")
    if vocab_size is not None:
        dataset = dataset.take(vocab_size)
    initializer = DatasetInitializer(dataset)
    if num_oov_buckets:
        return _vocabulary(hasher_spec, initializer, num_oov_buckets, as_dtype(key_dtype), name)
    if default_value is None:
        default_value = -1
    return StaticHashTable(initializer, default_value, name)


def index_table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: Any = FastHashSpec,
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
