"""`tf.compat.v1.data.Dataset`: as in TensorFlow 2, with methods that make iterators of graphs."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import runnel as tf
from runnel.data.dataset.base import Base
from runnel.v1.data.iterators import Iterator as GraphIterator
from runnel.v1.data.iterators import make_initializable_iterator, make_one_shot_iterator
from runnel.v1.data.types import classes_of, shapes_of, types_of


class DatasetV1(tf.data.Dataset):
    """A sequence of elements; its methods give such datasets again."""

    output_types = property(lambda self: types_of(self))
    output_shapes = property(lambda self: shapes_of(self))
    output_classes = property(lambda self: classes_of(self))

    def make_one_shot_iterator(self) -> Any:
        """An iterator that needs no initializer."""
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> GraphIterator:
        """An iterator that begins when its `initializer` is run."""
        return make_initializable_iterator(self, shared_name)

    def map_with_legacy_function(
        self,
        map_func: Any,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        use_unbounded_threadpool: bool = False,
    ) -> Any:
        """An older name of `map`."""
        return self.map(map_func, num_parallel_calls, deterministic)

    def filter_with_legacy_function(self, predicate: Any) -> Any:
        """An older name of `filter`."""
        return self.filter(predicate)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Any:
        """The rows of a sparse tensor, as sparse tensors."""
        return DatasetV1.from_tensor_slices(sparse_tensor)


def as_v1(dataset: Any) -> Any:
    """A dataset as one of TensorFlow 1."""
    if not isinstance(dataset, Base) or isinstance(dataset, DatasetV1):
        return dataset
    made = DatasetV1.__new__(DatasetV1)
    vars(made).update(vars(dataset))
    return made


def _converted(method: Any) -> Any:
    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        return as_v1(method(*args, **kwargs))

    return call


def _convert_methods() -> None:
    """Let the methods that give datasets give those of TensorFlow 1."""
    for name in dir(tf.data.Dataset):
        stored = inspect.getattr_static(tf.data.Dataset, name)
        if name.startswith("_") or name in vars(DatasetV1):
            continue
        if isinstance(stored, staticmethod):
            setattr(DatasetV1, name, staticmethod(_converted(stored.__func__)))
        elif inspect.isfunction(stored):
            setattr(DatasetV1, name, _converted(stored))


_convert_methods()


class TextLineDataset(DatasetV1, tf.data.TextLineDataset):
    """The lines of text files."""


class TFRecordDataset(DatasetV1, tf.data.TFRecordDataset):
    """The records of TFRecord files."""


class FixedLengthRecordDataset(DatasetV1, tf.data.FixedLengthRecordDataset):
    """Pieces of files that are all as long."""


class CsvDataset(DatasetV1, tf.data.experimental.CsvDataset):
    """The rows of CSV files."""


class SqlDataset(DatasetV1, tf.data.experimental.SqlDataset):
    """The rows of a query."""


class RandomDataset(DatasetV1, tf.data.experimental.RandomDataset):
    """Random integers."""


def map_and_batch_with_legacy_function(
    map_func: Any,
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Any:
    """`map` and `batch` as one transformation."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "map_and_batch_with_legacy_function: give `num_parallel_batches` or "
            "`num_parallel_calls`, not both."
        )

    calls = num_parallel_calls
    if num_parallel_batches is not None:
        calls = batch_size * num_parallel_batches

    def apply(dataset: Any) -> Any:
        return dataset.map(map_func, calls).batch(batch_size, drop_remainder)

    return apply
