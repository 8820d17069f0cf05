"""Files that are damaged, half written, or in the way."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import runnel as tf
from runnel.train.files import table
from tests import children

Dataset = tf.data.Dataset


def _written(path: Path) -> bytes:
    with tf.io.TFRecordWriter(str(path)) as writer:
        writer.write(b"first")
        writer.write(b"second")
    return path.read_bytes()


@pytest.mark.parametrize("place", range(0, 43, 3))
def test_a_damaged_record_gives_file_and_offset(tmp_path: Path, place: int) -> None:
    path = tmp_path / "a.tfrecord"
    content = bytearray(_written(path))
    content[place] ^= 0x41
    path.write_bytes(content)
    offset = 0 if place < 21 else 21
    with pytest.raises(tf.errors.DataLossError, match=f"at {offset} in {path}"):
        list(tf.data.TFRecordDataset(str(path)))


@pytest.mark.parametrize("size", [1, 11, 12, 20, 22, 42])
def test_a_file_cut_short_is_data_loss(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.tfrecord"
    path.write_bytes(_written(path)[:size])
    with pytest.raises(tf.errors.DataLossError, match="truncated record"):
        list(tf.data.TFRecordDataset(str(path)))


def test_errors_of_records_can_be_ignored(tmp_path: Path) -> None:
    good, bad = tmp_path / "a", tmp_path / "b"
    _written(good)
    bad.write_bytes(_written(bad)[:30])
    names = Dataset.from_tensor_slices([str(good), str(bad), str(good)])
    dataset = names.map(lambda p: tf.io.read_file(p + "?")).ignore_errors()
    assert list(dataset) == []


KILLED = """
import os, sys
import runnel as tf
def numbers():
    for i in range(10):
        if i == 6:
            os._exit(9)
        yield i
dataset = tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int64))
{use}
"""

USES = {
    "save": "dataset.save({path!r})",
    "cache": "list(dataset.cache({path!r}))",
    "snapshot": "list(dataset.snapshot({path!r}))",
}


@pytest.mark.parametrize("use", USES)
def test_killed_while_writing_the_next_run_starts_again(tmp_path: Path, use: str) -> None:
    path = str(tmp_path / "kept")
    program = KILLED.format(use=USES[use].format(path=path))
    ended = children.run(program)
    assert ended.returncode == 9, ended.stderr
    dataset = Dataset.range(10)
    if use == "save":
        with pytest.raises(tf.errors.NotFoundError):
            Dataset.load(path)
        dataset.save(path)
        kept: Any = Dataset.load(path)
    else:
        kept = dataset.cache(path) if use == "cache" else dataset.snapshot(path)
        assert [int(x) for x in kept] == list(range(10))
    assert [int(x) for x in kept] == list(range(10))


RESUMED = """
import os, sys
import runnel as tf
def number(x):
    if x == 25 and {killed}:
        os._exit(9)
    print(int(x))
    return x
dataset = tf.data.Dataset.range(40).map(lambda x: tf.numpy_function(number, [x], tf.int64))
arguments = dict(directory={checkpoints!r}, step_counter=tf.Variable(0), checkpoint_interval=10)
dataset.save({path!r}, shard_func=lambda x: x % 2, checkpoint_args=dict(arguments, max_to_keep=2))
"""


def test_a_save_with_checkpoints_goes_on_after_it_was_killed(tmp_path: Path) -> None:
    path = str(tmp_path / "kept")
    options = {"path": path, "checkpoints": str(tmp_path / "checkpoints")}

    def run(killed: bool) -> Any:
        return children.run(RESUMED.format(killed=killed, **options))

    ended = run(True)
    assert ended.returncode == 9, ended.stderr
    with pytest.raises(tf.errors.NotFoundError):
        Dataset.load(path)
    ended = run(False)
    assert ended.returncode == 0, ended.stderr
    assert [int(line) for line in ended.stdout.split()] == list(range(21, 40))
    assert sorted(int(x) for x in Dataset.load(path)) == list(range(40))
    shard = Dataset.load(path, reader_func=lambda shards: next(iter(shards)))
    assert [int(x) for x in shard] == list(range(0, 40, 2))


def test_a_snapshot_is_read_by_the_users_function(tmp_path: Path) -> None:
    def backwards(shards: Any) -> Any:
        return shards.shuffle(2, seed=1).interleave(lambda shard: shard.skip(1), cycle_length=1)

    kept = Dataset.range(6).snapshot(
        str(tmp_path), shard_func=lambda x: x % 2, reader_func=backwards
    )
    assert [int(x) for x in kept] == list(range(6))
    assert sorted(int(x) for x in kept) == [2, 3, 4, 5]
    with pytest.raises(TypeError, match="must return a dataset"):
        Dataset.range(3).snapshot(str(tmp_path), reader_func=lambda shards: 3)


def test_after_a_damaged_record_the_next_file_follows(tmp_path: Path) -> None:
    good, bad = tmp_path / "a", tmp_path / "b"
    _written(good)
    content = bytearray(_written(bad))
    content[35] ^= 1
    bad.write_bytes(content)
    records = tf.data.TFRecordDataset([str(bad), str(good)])
    assert list(records.ignore_errors().as_numpy_iterator()) == [b"first", b"first", b"second"]
    batched = records.batch(1).ignore_errors()
    assert [b.tolist() for b in batched.as_numpy_iterator()] == [
        [b"first"],
        [b"first"],
        [b"second"],
    ]


def test_an_iteration_that_stops_half_way_keeps_nothing(tmp_path: Path) -> None:
    cached = Dataset.range(5).cache(str(tmp_path / "cache"))
    iterator = iter(cached)
    next(iterator)
    del iterator
    assert not list(tmp_path.iterdir())
    assert [int(x) for x in cached] == list(range(5))
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["cache.data-00000-of-00001", "cache.index"]


def test_a_cache_file_serves_another_dataset(tmp_path: Path) -> None:
    path = str(tmp_path / "cache")
    assert [int(x) for x in Dataset.range(3).cache(path)] == [0, 1, 2]
    spec = tf.TensorSpec([], tf.int64)
    never = Dataset.from_generator(lambda: 1 / 0, output_signature=spec)
    assert [int(x) for x in never.cache(path)] == [0, 1, 2]


def test_saving_again_replaces_what_was_there(tmp_path: Path) -> None:
    path = str(tmp_path / "saved")
    Dataset.range(3).save(path)
    Dataset.range(5).save(path)
    assert len(Dataset.load(path)) == 5


def test_shards_are_read_in_turn_or_by_a_function(tmp_path: Path) -> None:
    path = str(tmp_path / "saved")
    Dataset.range(6).save(path, shard_func=lambda x: x % 2, compression="GZIP")
    assert sorted(int(x) for x in Dataset.load(path, compression="GZIP")) == list(range(6))
    one_by_one = Dataset.load(
        path, compression="GZIP", reader_func=lambda shards: shards.flat_map(lambda s: s)
    )
    assert [int(x) for x in one_by_one] == [0, 2, 4, 1, 3, 5]


def test_ragged_and_sparse_elements_are_saved(tmp_path: Path) -> None:
    path = str(tmp_path / "saved")
    element = (tf.ragged.constant([[1, 2], [3]]), tf.sparse.from_dense([0, 5]))
    Dataset.from_tensors(element).save(path)
    ragged, sparse = Dataset.load(path).get_single_element()
    assert ragged.to_list() == [[1, 2], [3]]
    assert tf.sparse.to_dense(sparse).numpy().tolist() == [0, 5]


@pytest.mark.parametrize("name", ["snapshot.metadata", "dataset_spec.pb", "00000000.snapshot"])
def test_a_damaged_folder_is_data_loss(tmp_path: Path, name: str) -> None:
    path = tmp_path / "saved"
    Dataset.range(3).save(str(path))
    (file,) = path.rglob(name)
    file.write_bytes(b"\xff" + file.read_bytes()[1:-1])
    with pytest.raises((tf.errors.DataLossError, tf.errors.InvalidArgumentError)):
        list(Dataset.load(str(path)))


@pytest.mark.parametrize("compression", ["", "GZIP"])
def test_records_of_a_fixed_length_stand_between_header_and_footer(
    tmp_path: Path, compression: str
) -> None:
    path = tmp_path / "a"
    content = b"HH" + bytes(range(200)) * 3000 + b"F"
    path.write_bytes(gzip.compress(content) if compression else content)

    def read(size: int, header: int, footer: int) -> Any:
        return tf.data.FixedLengthRecordDataset(
            str(path), size, header, footer, compression_type=compression
        )

    records = list(read(200, 2, 1).as_numpy_iterator())
    assert len(records) == 3000
    assert set(records) == {bytes(range(200))}
    batches = list(read(200, 2, 1).batch(7).as_numpy_iterator())
    assert sum(len(batch) for batch in batches) == 3000
    error = tf.errors.DataLossError if compression else tf.errors.InvalidArgumentError
    with pytest.raises(error, match="not an exact multiple of the record length"):
        list(read(201, 2, 1))
    iterator = read(200, 2, 1).as_numpy_iterator()
    for _ in range(1500):
        next(iterator)
    again = read(200, 2, 1).as_numpy_iterator()
    again.restore(iterator.save())
    assert len(list(again)) == 1500


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    "message", [b"\xff", b"\x08\x63", b"\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"]
)
def test_a_cache_whose_index_makes_no_sense(tmp_path: Path, message: bytes, place: int) -> None:
    path = str(tmp_path / "cache")
    list(Dataset.range(2).cache(path))
    index = tmp_path / "cache.index"
    items = dict(table.items_in(index.read_bytes(), "index"))
    items[sorted(items)[place]] = message
    index.write_bytes(table.encode(items))
    with pytest.raises((tf.errors.DataLossError, tf.errors.NotFoundError)):
        list(Dataset.range(2).cache(path))
