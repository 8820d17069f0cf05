"""The loaders of data sets read their files from the cache, as Keras writes them."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.keras.datasets import fetching
from runnel.keras.utils.downloads import downloading


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache whose files pass for the right ones, whatever is in them."""
    monkeypatch.setattr(downloading, "validate_file", lambda *args: True)
    folder = tmp_path / "datasets"
    folder.mkdir()
    return tmp_path


def test_mnist_is_read(cache: Path) -> None:
    x, y = np.arange(12, dtype=np.uint8).reshape(3, 2, 2), np.arange(3, dtype=np.uint8)
    np.savez(cache / "datasets" / "mnist.npz", x_train=x, y_train=y, x_test=x[:1], y_test=y[:1])
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data(cache_dir=cache)
    np.testing.assert_array_equal(x_train, x)
    assert (y_train.dtype, x_test.shape, y_test.shape) == (np.uint8, (1, 2, 2), (1,))


def test_fashion_mnist_is_read(cache: Path) -> None:
    folder = cache / "datasets" / "fashion-mnist"
    folder.mkdir()
    for part, count in (("train", 3), ("t10k", 2)):
        labels = gzip.compress(bytes(8) + bytes(range(count)))
        images = gzip.compress(bytes(16) + bytes(count * 28 * 28))
        (folder / f"{part}-labels-idx1-ubyte.gz").write_bytes(labels)
        (folder / f"{part}-images-idx3-ubyte.gz").write_bytes(images)
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.fashion_mnist.load_data(cache)
    assert (x_train.shape, x_test.shape) == ((3, 28, 28), (2, 28, 28))
    assert (y_train.tolist(), y_test.tolist()) == ([0, 1, 2], [0, 1])


def _cifar(path: Path, keys: tuple[str, ...]) -> None:
    data = np.arange(2 * 3072, dtype=np.int64).astype(np.uint8).reshape(2, 3072)
    content: dict[bytes, Any] = {b"data": data} | {key.encode(): [4, 5] for key in keys}
    path.write_bytes(pickle.dumps(content, protocol=2))


def test_cifar_is_read(cache: Path) -> None:
    small = cache / "datasets" / "cifar-10-batches-py"
    small.mkdir()
    for name in [*[f"data_batch_{i}" for i in range(1, 6)], "test_batch"]:
        _cifar(small / name, ("labels",))
    (cache / "datasets" / "cifar-10-batches-py.tar.gz").touch()
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.cifar10.load_data(cache)
    assert (x_train.shape, y_train.shape, y_train.dtype) == ((10, 32, 32, 3), (10, 1), np.uint8)
    assert x_test[0, 0, 0].tolist() == [0, 0, 0]  # red, green and blue lie 1024 bytes apart
    assert x_test[0, 0, 1].tolist() == [1, 1, 1]
    large = cache / "datasets" / "cifar-100-python"
    large.mkdir()
    for name in ("train", "test"):
        _cifar(large / name, ("fine_labels", "coarse_labels"))
    (cache / "datasets" / "cifar-100-python.tar.gz").touch()
    (_, y_train), _ = tf.keras.datasets.cifar100.load_data("coarse", cache)
    assert y_train.tolist() == [[4], [5]]
    assert y_test.tolist() == [[4], [5]]


def test_a_cifar_file_cannot_run_code(cache: Path) -> None:
    folder = cache / "datasets" / "cifar-100-python"
    folder.mkdir()
    (cache / "datasets" / "cifar-100-python.tar.gz").touch()
    (folder / "train").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(pickle.UnpicklingError, match="system"):
        tf.keras.datasets.cifar100.load_data(cache_dir=cache)


def _lists(*lists: list[int]) -> np.ndarray:
    found = np.empty(len(lists), dtype=object)
    found[:] = lists
    return found


def test_imdb_moves_and_filters_words(cache: Path) -> None:
    x, y = _lists([1, 2], [5, 6, 7], [9]), np.array([0, 1, 0])
    np.savez(cache / "datasets" / "imdb.npz", x_train=x, y_train=y, x_test=x, y_test=y)
    load = tf.keras.datasets.imdb.load_data
    (x_train, y_train), (x_test, _) = load(cache_dir=cache, num_words=10)
    found = {tuple(words): label for words, label in zip(x_train, y_train)}
    assert found == {(1, 4, 5): 0, (1, 8, 9, 2): 1, (1, 2): 0}
    assert len(x_test) == 3
    (x_train, _), _ = load(cache_dir=cache, start_char=None, index_from=0, oov_char=None, maxlen=3)
    assert sorted(map(list, x_train)) == [[], [1, 2]]  # 9 is the largest, and left out
    with pytest.raises(ValueError, match="fewer than maxlen=1"):
        load(cache_dir=cache, maxlen=1)
    with pytest.raises(TypeError, match="words"):
        load(cache_dir=cache, words=3)


def test_reuters_is_split(cache: Path) -> None:
    x, y = _lists(*[[i, i + 1] for i in range(10)]), np.arange(10)
    np.savez(cache / "datasets" / "reuters.npz", x=x, y=y)
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.reuters.load_data(cache_dir=cache)
    assert (len(x_train), len(x_test)) == (8, 2)
    assert sorted([*y_train, *y_test]) == list(range(10))
    assert len(tf.keras.datasets.reuters.get_label_names()) == 46


@pytest.mark.parametrize("name", ["boston_housing", "california_housing"])
def test_houses_are_shuffled_alike(name: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.arange(20.0).reshape(10, 2)
    np.savez(cache / "datasets" / f"{name}.npz", x=x, y=x[:, 0])
    monkeypatch.setattr(downloading.os.path, "expanduser", lambda path: str(cache))
    load = getattr(tf.keras.datasets, name).load_data
    (x_train, y_train), (x_test, y_test) = load(test_split=0.3)
    assert (len(x_train), len(x_test)) == (7, 3)
    np.testing.assert_array_equal(x_train[:, 0], y_train)
    np.testing.assert_array_equal(x_test[:, 0], y_test)
    assert not np.array_equal(np.sort(y_train), y_train)


def test_without_a_network_the_error_says_where_to_put_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "_STORE", "http://nowhere.invalid/")
    with pytest.raises(Exception, match=r"put the file at .*mnist\.npz by hand"):
        tf.keras.datasets.mnist.load_data(cache_dir=tmp_path)
    assert list((tmp_path / "datasets").iterdir()) == []


def test_fine_and_coarse_are_the_labels_there_are() -> None:
    with pytest.raises(ValueError, match="coarse"):
        tf.keras.datasets.cifar100.load_data("rough")


@pytest.mark.parametrize("name", ["imdb", "reuters"])
def test_the_numbers_of_words_are_read(cache: Path, name: str) -> None:
    path = cache / f"{name}_word_index.json"
    path.write_text('{"the": 1, "film": 17}')
    found = getattr(tf.keras.datasets, name).get_word_index(str(path))
    assert found == {"the": 1, "film": 17}
