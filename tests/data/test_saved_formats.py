"""Saved datasets and cache files: those of TensorFlow are read, and ours are like them."""

from __future__ import annotations

import base64
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

import runnel as tf
from runnel.kernels.records import snappy

Dataset = tf.data.Dataset
FILES = json.loads((Path(__file__).parents[1] / "golden" / "saved_datasets.json").read_text())


@pytest.fixture(name="theirs", scope="module")
def _theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("theirs")
    for name, content in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(base64.b64decode(content))
    return root


def _elements() -> Any:
    return Dataset.range(5).map(
        lambda x: {"n": x, "t": (tf.strings.as_string(x), tf.cast(tf.fill([2], x), tf.float32))}
    )


def _ragged() -> Any:
    return Dataset.from_tensor_slices(tf.ragged.constant([[["a"]], [["b", "c"], []]]))


def _sparse() -> Any:
    return Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0], [2, 3]]))


def _numbers(dataset: Any) -> list[int]:
    found = list(dataset)
    assert all(e["t"][0].numpy() == str(int(e["n"])).encode() for e in found)
    assert all(e["t"][1].numpy().tolist() == [int(e["n"])] * 2 for e in found)
    return [int(e["n"]) for e in found]


@pytest.mark.parametrize(
    ("name", "compression"), [("plain", None), ("gzip", "GZIP"), ("snappy", "SNAPPY")]
)
def test_what_tensorflow_saved_is_loaded(theirs: Path, name: str, compression: Any) -> None:
    dataset = Dataset.load(str(theirs / name), compression=compression)
    assert dataset.element_spec == _elements().element_spec
    assert int(dataset.cardinality()) == 5
    assert _numbers(dataset) == [0, 1, 2, 3, 4]


def test_shards_of_tensorflow_are_read_some_at_a_time(theirs: Path) -> None:
    dataset = Dataset.load(str(theirs / "shards"))
    assert sorted(_numbers(dataset)) == [0, 1, 2, 3, 4]
    if os.cpu_count() == 2:  # so many at a time, as recorded
        assert _numbers(dataset) == [0, 1, 3, 4, 2]
    in_turn = Dataset.load(str(theirs / "shards"), reader_func=lambda s: s.flat_map(lambda x: x))
    assert _numbers(in_turn) == [0, 3, 1, 4, 2]


def test_ragged_and_sparse_elements_of_tensorflow_are_loaded(theirs: Path) -> None:
    ragged = Dataset.load(str(theirs / "ragged"))
    assert ragged.element_spec == _ragged().element_spec
    assert [row.to_list() for row in ragged] == [[[b"a"]], [[b"b", b"c"], []]]
    sparse = [tf.sparse.to_dense(row) for row in Dataset.load(str(theirs / "sparse"))]
    assert [row.numpy().tolist() for row in sparse] == [[1, 0], [2, 3]]


def test_a_snapshot_of_tensorflow_is_loaded_by_its_spec(theirs: Path) -> None:
    (folder,) = (theirs / "snapshot").iterdir()
    spec = tf.TensorSpec([], tf.int64)
    found = Dataset.load(str(folder), element_spec=spec, compression="SNAPPY")
    assert sorted(int(x) for x in found) == [0, 1, 2]


def test_caches_of_tensorflow_are_read(theirs: Path) -> None:
    assert _numbers(_elements().take(2).cache(str(theirs / "cache"))) == [0, 1, 2, 3, 4]
    rows = _ragged().take(1).cache(str(theirs / "cache_ragged"))
    assert [row.to_list() for row in rows] == [[[b"a"]], [[b"b", b"c"], []]]
    sparse = _sparse().take(1).cache(str(theirs / "cache_sparse"))
    assert [tf.sparse.to_dense(row).numpy().tolist() for row in sparse] == [[1, 0], [2, 3]]


def _shard(path: Path) -> bytes:
    (file,) = path.rglob("00000000.snapshot")
    return file.read_bytes()


def test_our_files_are_the_same_to_the_byte(theirs: Path, tmp_path: Path) -> None:
    _elements().save(str(tmp_path / "plain"))
    assert _shard(tmp_path / "plain") == _shard(theirs / "plain")
    list(_elements().cache(str(tmp_path / "cache")))
    name = "cache.data-00000-of-00001"
    assert (tmp_path / name).read_bytes() == (theirs / name).read_bytes()


@pytest.mark.parametrize("compression", [None, "GZIP", "ZLIB", "SNAPPY"])
def test_what_was_saved_is_loaded_with_the_same_compression_only(
    tmp_path: Path, compression: Any
) -> None:
    path = str(tmp_path / "saved")
    _elements().save(path, compression=compression)
    assert _numbers(Dataset.load(path, compression=compression)) == [0, 1, 2, 3, 4]
    with pytest.raises(tf.errors.DataLossError):
        list(Dataset.load(path, compression="GZIP" if compression != "GZIP" else "SNAPPY"))


def test_elements_of_every_kind_come_back(tmp_path: Path) -> None:
    element = (
        tf.constant([True, False]),
        tf.constant([1 + 2j]),
        tf.constant(["a", "", "ccc"]),
        tf.zeros([0, 3]),
        tf.cast([1.5], tf.bfloat16),
        None,
        tf.ragged.constant([[1], []], dtype=tf.int64),
        Dataset.range(2),
    )
    dataset = Dataset.from_tensors(element).map(
        lambda *e: (*e[:-1], e[-1].batch(2).get_single_element())
    )
    for kept in (_saved(dataset, tmp_path), _cached(dataset, tmp_path)):
        (found,) = list(kept)
        assert [None if v is None else v.shape for v in found[:6]] == [
            None if v is None else v.shape for v in element[:6]
        ]
        assert found[2].numpy().tolist() == [b"a", b"", b"ccc"]
        assert found[6].to_list() == [[1], []]
        assert found[7].numpy().tolist() == [0, 1]


def _saved(dataset: Any, folder: Path) -> Any:
    dataset.save(str(folder / "saved"))
    return Dataset.load(str(folder / "saved"))


def _cached(dataset: Any, folder: Path) -> Any:
    list(dataset.cache(str(folder / "cached")))
    return dataset.cache(str(folder / "cached"))


def test_windows_are_kept_with_their_elements(tmp_path: Path) -> None:
    windows = Dataset.range(4).window(2)
    for kept in (_saved(windows, tmp_path), _cached(windows, tmp_path)):
        assert [[int(x) for x in window] for window in kept] == [[0, 1], [2, 3]]


def test_a_cache_of_another_dataset_is_data_loss(tmp_path: Path) -> None:
    path = str(tmp_path / "cache")
    list(Dataset.range(3).cache(path))
    with pytest.raises(tf.errors.DataLossError, match="element 0: an element must be of string"):
        list(Dataset.from_tensors("a").cache(path))


@pytest.mark.parametrize("name", ["cache.index", "cache.data-00000-of-00001"])
def test_a_damaged_cache_is_data_loss(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / "cache")
    dataset = _elements().cache(path)
    list(dataset)
    content = bytearray((tmp_path / name).read_bytes())
    content[len(content) // 2] ^= 255
    (tmp_path / name).write_bytes(bytes(content))
    with pytest.raises(tf.errors.DataLossError):
        list(dataset)


def test_an_iterator_over_a_cache_file_goes_on_where_it_was(tmp_path: Path) -> None:
    dataset = Dataset.range(6).cache(str(tmp_path / "cache"))
    for _ in range(2):  # while the file is written, and when it is there
        iterator = iter(dataset)
        assert [int(next(iterator)) for _ in range(2)] == [0, 1]
        path = tf.train.Checkpoint(it=iterator).save(str(tmp_path / "ckpt"))
        again = iter(dataset)
        tf.train.Checkpoint(it=again).restore(path)
        assert [int(x) for x in again] == [2, 3, 4, 5]
        list(dataset)


def test_snappy_gives_back_what_it_got_and_refuses_nonsense() -> None:
    for data in (b"", b"a", b"abc" * 50_000, random.Random(0).randbytes(70_000)):
        assert snappy.decompress(snappy.compress(data)) == data
    assert len(snappy.compress(b"abc" * 50_000)) < 8_000
    assert snappy.decompress(b"\x0a\x08abc\x0d\x03") == b"abc" + b"abcabca"
    choice = random.Random(1)
    whole = snappy.compress(b"hello hello hello, hello world " * 3)
    for _ in range(300):
        broken = bytearray(whole[: choice.randrange(1, len(whole))])
        broken[choice.randrange(len(broken))] = choice.randrange(256)
        try:
            snappy.decompress(bytes(broken))
        except ValueError:
            continue


def test_records_compressed_with_snappy_are_read(theirs: Path) -> None:
    (path,) = (theirs / "snappy").rglob("*.snapshot")
    assert len(list(tf.data.TFRecordDataset(str(path), compression_type="SNAPPY"))) == 15
    with pytest.raises(tf.errors.InvalidArgumentError, match="compression_type"):
        list(tf.data.TextLineDataset(str(path), compression_type="SNAPPY"))
    damaged = theirs / "damaged"
    damaged.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(tf.errors.DataLossError, match="Snappy"):
        list(tf.data.TFRecordDataset(str(damaged), compression_type="SNAPPY"))
