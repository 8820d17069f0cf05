"""Files of elements of which something is missing: an error, never fewer elements."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import runnel as tf

_COUNT = 6


def _elements() -> Any:
    return tf.data.Dataset.range(_COUNT).map(lambda x: (x, tf.strings.as_string(x)))


def _shard(x: Any, _: Any) -> Any:
    return x % 2


def _in_order(shards: Any) -> Any:
    return shards.flat_map(lambda shard: shard)


def _snapshot(folder: str) -> Any:
    return _elements().snapshot(folder, compression=None)


def _shards(folder: str) -> Any:
    return _elements().snapshot(folder, compression=None, shard_func=_shard, reader_func=_in_order)


def _load(folder: str) -> Any:
    if not os.path.exists(folder):
        _elements().save(folder)
    return tf.data.Dataset.load(folder)


def _load_by_reader(folder: str) -> Any:
    if not os.path.exists(folder):
        _elements().save(folder, shard_func=_shard)
    return tf.data.Dataset.load(folder, reader_func=_in_order)


def _cache(folder: str) -> Any:
    os.makedirs(folder, exist_ok=True)
    return _elements().cache(os.path.join(folder, "cache"))


def _data_file(folder: Path) -> Path:
    found = [*folder.rglob("*.snapshot"), *folder.rglob("*.data-00000-of-00001")]
    return max(found)


def _remove(path: Path) -> None:
    path.unlink()


def _remove_folder(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _cut_element(path: Path) -> None:
    """Leave whole records: all but the two of the last element."""
    data, place, ends = path.read_bytes(), 0, [0]
    while place < len(data):
        place += 16 + int.from_bytes(data[place : place + 8], "little")
        ends.append(place)
    path.write_bytes(data[: ends[-3]])


def _cut_byte(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


_MAKERS = [_snapshot, _shards, _load, _load_by_reader, _cache]
_DAMAGES = [
    (_remove, tf.errors.NotFoundError),
    (_empty, tf.errors.DataLossError),
    (_cut_byte, tf.errors.DataLossError),
    (_remove_folder, tf.errors.NotFoundError),
    (_cut_element, tf.errors.DataLossError),
]


@pytest.mark.parametrize(("damage", "error"), _DAMAGES, ids=lambda it: it.__name__)
@pytest.mark.parametrize("make", _MAKERS, ids=lambda it: it.__name__)
def test_missing_elements_are_an_error(
    tmp_path: Path,
    make: Callable[[str], Any],
    damage: Callable[[Path], None],
    error: type[Exception],
) -> None:
    if make is _cache and damage in (_remove_folder, _cut_element):
        pytest.skip("the folder of a cache is the user's, and its file has no records")
    folder = tmp_path / "kept"
    assert len(list(make(str(folder)))) == _COUNT
    assert len(list(make(str(folder)))) == _COUNT
    damage(_data_file(folder))
    with pytest.raises(error):
        list(make(str(folder)))


def test_a_run_without_its_folder_is_not_an_empty_dataset(tmp_path: Path) -> None:
    _elements().save(str(tmp_path / "kept"))
    (run,) = [entry for entry in (tmp_path / "kept").iterdir() if entry.is_dir()]
    run.rename(tmp_path / "elsewhere")
    with pytest.raises(tf.errors.NotFoundError):
        list(tf.data.Dataset.load(str(tmp_path / "kept")))
    tf.data.Dataset.range(0).save(str(tmp_path / "none"))
    assert list(tf.data.Dataset.load(str(tmp_path / "none"))) == []


def test_filling_up_to_fewer_elements_is_refused() -> None:
    data = tf.data.Dataset.from_tensor_slices({"a": [1, 2, 3]})
    with pytest.raises(ValueError, match="at least that of the dataset, 3, got 2"):
        data.apply(tf.data.experimental.pad_to_cardinality(2))
    assert len(list(data.apply(tf.data.experimental.pad_to_cardinality(3)))) == 3
