"""Datasets of parsed examples, and a writer of datasets: older functions around TFRecord files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from runnel.core.files.tfrecord import TFRecordWriter as Writer
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.values import dtypes
from runnel.core.values.type_spec import TensorSpec
from runnel.data.dataset.dataset import AUTOTUNE, Dataset
from runnel.data.files.readers import TFRecordDataset
from runnel.data.run.structure import raw
from runnel.ops.io.examples import parse_example


def parse_example_dataset(
    features: Mapping[str, Any], num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Callable[[Dataset], Dataset]:
    """`tf.io.parse_example` of every batch of records, for `Dataset.apply`."""
    if features is None:
        raise ValueError("parse_example_dataset: `features` is missing.")

    def parse(dataset: Dataset) -> Dataset:
        spec = dataset.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype is not dtypes.string:
            raise TypeError(f"parse_example_dataset: elements must be strings, got {spec}.")
        calls = None if num_parallel_calls == 1 else num_parallel_calls
        return dataset.map(lambda s: parse_example(s, features), calls, deterministic)

    return parse


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: int,
    features: Mapping[str, Any],
    reader: Any = None,
    label_key: str | None = None,
    reader_args: list[Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """A dataset of batches of features, read from files of `tf.train.Example`s.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.tfrecord"
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     for n in (1, 2):
    ...         example = tf.train.Example()
    ...         example.features.feature["x"].int64_list.value.append(n)
    ...         writer.write(example.SerializeToString())
    >>> dataset = tf.data.experimental.make_batched_features_dataset(
    ...     path, 2, {"x": tf.io.FixedLenFeature([], tf.int64)}, num_epochs=1, shuffle=False
    ... )
    >>> next(iter(dataset))["x"].numpy()
    array([1, 2])
    """
    patterns = convert_to_tensor(file_pattern)
    names = raw(raw_ops.MatchingFiles(patterns)).tolist()
    if not names:
        raise ValueError(f"make_batched_features_dataset: no files match {file_pattern!r}.")
    files = Dataset.from_tensor_slices(names)
    if shuffle:
        files = files.shuffle(len(names), shuffle_seed)
    kind, args = reader or TFRecordDataset, reader_args or []
    threads = reader_num_threads or 1
    dataset = files.interleave(
        lambda name: kind(name, *args),
        cycle_length=1 if threads == AUTOTUNE else threads,
        num_parallel_calls=None if threads == 1 else threads,
        deterministic=not sloppy_ordering,
    )
    if dataset.element_spec == (TensorSpec([], dtypes.string), TensorSpec([], dtypes.string)):
        dataset = dataset.map(lambda _, value: value)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    dataset = dataset.repeat(num_epochs) if num_epochs != 1 else dataset
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key is not None:
        if label_key not in features:
            raise ValueError(f"make_batched_features_dataset: {label_key!r} is no feature.")
        dataset = dataset.map(lambda x: (_without(x, label_key), x[label_key]))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _without(features: Mapping[str, Any], label: str) -> dict[str, Any]:
    return {key: value for key, value in features.items() if key != label}


class TFRecordWriter:
    """Writes a dataset of strings to a TFRecord file.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.tfrecord"
    >>> writer = tf.data.experimental.TFRecordWriter(path)
    >>> writer.write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'a', b'b']
    """

    def __init__(self, filename: Any, compression_type: str | None = None) -> None:
        self._filename = filename
        self._compression = compression_type

    def write(self, dataset: Dataset) -> None:
        """Write all elements."""
        if not isinstance(dataset, Dataset):
            raise TypeError(f"TFRecordWriter.write: takes a dataset, got {dataset!r}.")
        if dataset.element_spec != TensorSpec([], dtypes.string):
            raise TypeError(
                f"TFRecordWriter.write: elements must be strings, got {dataset.element_spec}."
            )
        with Writer(self._filename, self._compression) as writer:
            for record in dataset.as_numpy_iterator():
                writer.write(record)
