"""Iterators that are saved continue at the same element."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.data.run.states import decode, encode

Dataset = tf.data.Dataset


def _generated() -> Any:
    spec = tf.TensorSpec([], tf.int64)
    return Dataset.from_generator(lambda: iter(range(12)), output_signature=spec)


def _listed() -> Any:
    return tf.data.experimental.from_list([(i, str(i)) for i in range(12)])


def _ragged() -> Any:
    values = tf.RaggedTensor.from_row_lengths(np.arange(30), [2, 3, 0, 1, 4, 2, 3, 3, 5, 3, 4])
    return Dataset.from_tensor_slices(values).map(lambda x: tf.reduce_sum(x))


def _sparse() -> Any:
    indices = [[i, i % 3] for i in range(12)]
    sparse = tf.SparseTensor(indices, np.arange(12), [12, 3])
    return Dataset.from_tensor_slices(sparse).map(tf.sparse.to_dense)


def _fails(x: Any) -> Any:
    tf.debugging.assert_none_equal(x % 4, np.int64(2))
    return x


def _text(folder: Path) -> str:
    path = folder / "a.txt"
    path.write_text("".join(f"{i},{i / 2},text {i}\n" for i in range(14)))
    return str(path)


def _loaded(folder: Path) -> Any:
    path = str(folder / "saved")
    if not Path(path).exists():
        Dataset.range(14).save(path, shard_func=lambda x: x % 3)
    return Dataset.load(path)


def _selected(folder: Path) -> Any:
    path = str(folder / "a.db")
    with contextlib.closing(sqlite3.connect(path)) as base, base:
        base.execute("create table if not exists t (x integer)")
        if not base.execute("select count(*) from t").fetchone()[0]:
            base.executemany("insert into t values (?)", [(i,) for i in range(14)])
    query = "select x from t order by x"
    return tf.data.experimental.SqlDataset("sqlite", path, query, (tf.int64,))


ON_FILES: dict[str, Callable[[Path], Any]] = {
    "lines": lambda folder: tf.data.TextLineDataset(_text(folder)),
    "lines of several files at a time": lambda folder: tf.data.TextLineDataset(
        [_text(folder)] * 3, num_parallel_reads=2
    ),
    "records of a fixed length": lambda folder: tf.data.FixedLengthRecordDataset(
        _text(folder), 2, footer_bytes=Path(_text(folder)).stat().st_size % 2
    ),
    "csv": lambda folder: tf.data.experimental.CsvDataset(
        _text(folder), [tf.int64, tf.float32, tf.string]
    ),
    "csv by name": lambda folder: tf.data.experimental.make_csv_dataset(
        _text(folder), 1, ["a", "b", "c"], header=False, num_epochs=1, shuffle_seed=1
    ),
    "sql": _selected,
    "loaded": _loaded,
    "cache in a file": lambda folder: Dataset.range(12).cache(str(folder / "cache")),
    "snapshot": lambda folder: Dataset.range(12).snapshot(str(folder / "snapshot")),
    "files by name": lambda folder: Dataset.list_files(_text(folder), shuffle=False).repeat(12),
}


PIPELINES: dict[str, Callable[[], Any]] = {
    "range": lambda: Dataset.range(12),
    "slices": lambda: Dataset.from_tensor_slices(
        {"a": np.arange(12), "b": [str(i) for i in range(12)]}
    ),
    "map": lambda: Dataset.range(12).map(lambda x: x * x),
    "vectorized": lambda: Dataset.from_tensor_slices(np.arange(24.0)).map(lambda x: x + 1).batch(2),
    "parallel map": lambda: Dataset.range(12).map(
        lambda x: tf.numpy_function(lambda y: y + 1, [x], tf.int64), num_parallel_calls=3
    ),
    "filter": lambda: Dataset.range(30).filter(lambda x: x % 2 == 0),
    "batch": lambda: Dataset.range(40).batch(3),
    "padded batch": lambda: Dataset.range(40).map(tf.range).padded_batch(3),
    "ragged batch": lambda: (
        Dataset.range(30).map(tf.range).ragged_batch(3).map(lambda x: x.flat_values)
    ),
    "unbatch": lambda: Dataset.range(12).batch(5).unbatch(),
    "shuffle": lambda: Dataset.range(12).shuffle(5, seed=3),
    "shuffle of elements": lambda: Dataset.range(12).map(tf.identity).shuffle(5, seed=3),
    "shuffle and repeat": lambda: Dataset.range(5).shuffle(5, seed=3).repeat(3),
    "repeat": lambda: Dataset.range(5).repeat(3),
    "take and skip": lambda: Dataset.range(30).skip(3).take(12),
    "take while": lambda: Dataset.range(30).take_while(lambda x: x < 14),
    "shard": lambda: Dataset.range(40).shard(3, 1),
    "zip": lambda: Dataset.zip(Dataset.range(12), Dataset.range(5, 20)),
    "concatenate": lambda: Dataset.range(5).concatenate(Dataset.range(7)),
    "flat map": lambda: Dataset.range(6).flat_map(lambda x: Dataset.range(x)),
    "interleave": lambda: Dataset.range(6).interleave(
        lambda x: Dataset.range(x), cycle_length=2, block_length=2
    ),
    "parallel interleave": lambda: Dataset.range(6).interleave(
        lambda x: Dataset.range(x), cycle_length=2, num_parallel_calls=2
    ),
    "prefetch": lambda: Dataset.range(12).prefetch(3),
    "cache": lambda: Dataset.range(6).cache().repeat(2),
    "enumerate": lambda: Dataset.range(12).enumerate(3),
    "scan": lambda: Dataset.range(12).scan(np.int64(0), lambda s, x: (s + x, s)),
    "window": lambda: Dataset.range(14).window(3, shift=1).flat_map(lambda w: w.batch(3)),
    "groups": lambda: Dataset.range(30).group_by_window(
        lambda x: x % 3, lambda k, d: d.batch(2), window_size=2
    ),
    "sample": lambda: Dataset.sample_from_datasets(
        [Dataset.range(10), Dataset.range(100, 110)], seed=4
    ),
    "random": lambda: Dataset.random(seed=4).take(12),
    "unique": lambda: Dataset.range(30).map(lambda x: x // 2).unique(),
    "counter": lambda: Dataset.counter(3).take(12),
    "generator": _generated,
    "rebatch": lambda: Dataset.range(30).batch(4).rebatch([1, 2]),
    "tensors": lambda: Dataset.from_tensors(np.arange(3)).repeat(12),
    "list": _listed,
    "ragged slices": _ragged,
    "sparse slices": _sparse,
    "filter of blocks": lambda: Dataset.range(40).map(lambda x: x + 1).filter(lambda x: x % 3 > 0),
    "ahead of a shuffle": lambda: (
        Dataset.range(20).map(lambda x: x * 2).filter(lambda x: x > 4).shuffle(5, seed=2)
    ),
    "map of batches": lambda: Dataset.range(60).batch(3).map(lambda x: x * 2),
    "parallel batch": lambda: Dataset.range(30).batch(3, num_parallel_calls=2),
    "rebatch of one size": lambda: Dataset.range(30).batch(4).rebatch(3),
    "sparse batch": lambda: (
        Dataset.range(20)
        .map(lambda x: tf.range(x % 3))
        .sparse_batch(2, [3])
        .map(tf.sparse.to_dense)
    ),
    "buckets": lambda: (
        Dataset.range(40)
        .map(lambda x: tf.range(x % 5))
        .bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2, 4], [3, 3, 3])
    ),
    "choose": lambda: Dataset.choose_from_datasets(
        [Dataset.range(10), Dataset.range(100, 110)], Dataset.range(2).repeat(6)
    ),
    "resample": lambda: Dataset.range(60).rejection_resample(
        lambda x: tf.cast(x % 2, tf.int32), [0.8, 0.2], [0.5, 0.5], seed=3
    ),
    "ignored errors": lambda: Dataset.range(20).map(_fails).ignore_errors(),
    "options": lambda: Dataset.range(12).with_options(tf.data.Options()),
    "to a device": lambda: Dataset.range(12).apply(
        tf.data.experimental.prefetch_to_device("/cpu:0")
    ),
    "asserted cardinality": lambda: Dataset.range(12).apply(
        tf.data.experimental.assert_cardinality(12)
    ),
    "reducers": lambda: Dataset.range(40).apply(
        tf.data.experimental.group_by_reducer(
            lambda x: x % 10,
            tf.data.experimental.Reducer(
                lambda key: np.int64(0), lambda state, x: state + x, lambda state: state
            ),
        )
    ),
    "padded to a cardinality": lambda: (
        Dataset.range(8).map(lambda x: {"x": x}).apply(tf.data.experimental.pad_to_cardinality(12))
    ),
    "random again": lambda: (
        Dataset.random(seed=4, rerandomize_each_iteration=True).take(6).repeat(2)
    ),
    "sample anew": lambda: Dataset.sample_from_datasets(
        [Dataset.range(10), Dataset.range(100, 110)], [0.3, 0.7], seed=4
    ),
    "windows of datasets": lambda: (
        Dataset.range(24).window(2).map(lambda w: w.reduce(np.int64(0), lambda s, x: s + x))
    ),
    "nested interleave": lambda: Dataset.range(4).interleave(
        lambda x: Dataset.range(3).interleave(lambda y: Dataset.from_tensors(x * 10 + y), 2), 3
    ),
    "deep": lambda: (
        Dataset.range(40)
        .shuffle(8, seed=1)
        .map(lambda x: x + 1)
        .batch(4)
        .unbatch()
        .prefetch(2)
        .filter(lambda x: x % 2 == 0)
        .enumerate()
        .skip(1)
        .take(12)
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("taken", [0, 1, 7])
def test_a_saved_iterator_goes_on_where_it_was(name: str, taken: int) -> None:
    whole = list(PIPELINES[name]().as_numpy_iterator())
    assert len(whole) > 8
    iterator = PIPELINES[name]().as_numpy_iterator()
    begun = [next(iterator) for _ in range(taken)]
    saved = iterator.save()
    again = PIPELINES[name]().as_numpy_iterator()
    again.restore(saved)
    np.testing.assert_equal([*begun, *again], whole)
    np.testing.assert_equal([*begun, *iterator], whole)


@pytest.mark.parametrize("name", ON_FILES)
@pytest.mark.parametrize("taken", [0, 5])
def test_a_saved_iterator_over_files_goes_on_where_it_was(
    name: str, taken: int, tmp_path: Path
) -> None:
    wholes, begins = tmp_path / "whole", tmp_path / "begun"
    wholes.mkdir()
    begins.mkdir()
    whole = list(ON_FILES[name](wholes).as_numpy_iterator())
    assert len(whole) > 8
    iterator = ON_FILES[name](begins).as_numpy_iterator()
    begun = [next(iterator) for _ in range(taken)]
    saved = iterator.save()
    again = ON_FILES[name](begins).as_numpy_iterator()
    again.restore(saved)
    rest = list(again)
    assert len(rest) == len(whole) - taken
    if name != "files by name":  # the two folders differ
        np.testing.assert_equal([*begun, *rest], whole)


def test_a_checkpoint_keeps_the_place_of_an_iterator(tmp_path: Path) -> None:
    dataset = Dataset.range(10).shuffle(4, seed=1).batch(2)
    whole = [b.tolist() for b in dataset.as_numpy_iterator()]
    iterator = iter(Dataset.range(10).shuffle(4, seed=1).batch(2))
    assert next(iterator).numpy().tolist() == whole[0]
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "ckpt"))
    fresh = iter(Dataset.range(10).shuffle(4, seed=1).batch(2))
    tf.train.Checkpoint(iterator=fresh).restore(path)
    assert [b.numpy().tolist() for b in fresh] == whole[1:]


def test_files_are_continued_in_the_middle(tmp_path: Path) -> None:
    path = str(tmp_path / "a.txt")
    (tmp_path / "a.txt").write_bytes(b"".join(b"line %d\n" % i for i in range(50)))
    iterator = tf.data.TextLineDataset([path, path]).as_numpy_iterator()
    for _ in range(60):
        next(iterator)
    again = tf.data.TextLineDataset([path, path]).as_numpy_iterator()
    again.restore(iterator.save())
    assert next(again) == b"line 10"


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records_are_continued_in_the_middle(tmp_path: Path, compression: str) -> None:
    path = str(tmp_path / "a.tfrecord")
    with tf.io.TFRecordWriter(path, compression) as writer:
        for i in range(30):
            writer.write(b"record %d" % i)
    iterator = tf.data.TFRecordDataset(path, compression).as_numpy_iterator()
    for _ in range(11):
        next(iterator)
    again = tf.data.TFRecordDataset(path, compression).as_numpy_iterator()
    again.restore(iterator.save())
    assert list(again) == [b"record %d" % i for i in range(11, 30)]
    batches = tf.data.TFRecordDataset(path, compression).batch(4).as_numpy_iterator()
    next(batches)
    resumed = tf.data.TFRecordDataset(path, compression).batch(4).as_numpy_iterator()
    resumed.restore(batches.save())
    assert next(resumed).tolist() == [b"record %d" % i for i in range(4, 8)]


def test_a_state_survives_as_bytes() -> None:
    state = [1, None, "text", b"bytes\xff", {"a": np.arange(3, dtype=np.int8)}, [np.float32(1.5)]]
    back = decode(encode([*state, np.array([[b"a"], [b"\xff"]], object)]))
    assert back[:4] == state[:4]
    assert back[4]["a"].dtype == np.int8
    assert back[4]["a"].tolist() == [0, 1, 2]
    assert back[5][0] == np.float32(1.5)
    assert back[6].tolist() == [[b"a"], [b"\xff"]]


@pytest.mark.parametrize("damage", [b"", b"nonsense", encode([1, np.arange(9)])[:-5]])
def test_a_damaged_state_is_data_loss(damage: bytes) -> None:
    iterator = Dataset.range(3).as_numpy_iterator()
    with pytest.raises(tf.errors.DataLossError, match="no state of an iterator"):
        iterator.restore(damage)


_BAD = Dataset.range(8).map(lambda x: 12 // (x - 3))


@pytest.mark.parametrize(
    "dataset",
    [
        _BAD.prefetch(6),
        _BAD.map(lambda x: tf.py_function(lambda y: y, [x], x.dtype), num_parallel_calls=2),
        _BAD.batch(2).map(lambda x: x + 1),
        _BAD.interleave(lambda x: Dataset.from_tensors(x).repeat(2), 3, num_parallel_calls=2),
        _BAD.window(3, shift=1).flat_map(lambda window: window.batch(3)),
        Dataset.zip((_BAD, Dataset.range(8))),
    ],
    ids=["prefetch", "map", "batch", "interleave", "window", "zip"],
)
def test_errors_that_wait_are_kept(dataset: Any) -> None:
    iterator = dataset.as_numpy_iterator()
    next(iterator)
    saved = iterator.save()
    again = dataset.as_numpy_iterator()
    again.restore(saved)
    rest = _given(iterator)
    assert "InvalidArgumentError" in rest
    assert _given(again) == rest


def _given(iterator: Any) -> list[str]:
    """What an iterator gives, with the classes of errors in the place of elements."""
    found: list[str] = []
    while True:
        try:
            found.append(repr(next(iterator)))
        except StopIteration:
            return found
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
