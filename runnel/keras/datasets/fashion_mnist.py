"""`tf.keras.datasets.fashion_mnist`: 70,000 pictures of clothes of 28x28 pixels."""

from __future__ import annotations

import gzip
import os
from typing import Any

import numpy as np

from runnel.keras.datasets.fetching import stored_file


def load_data(
    cache_dir: Any = None,
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """`(x_train, y_train), (x_test, y_test)`, images as uint8, classes from 0 to 9.

    Args:
        cache_dir: the folder of the cache; None is `~/.keras`.
    """
    return _part("train", cache_dir), _part("t10k", cache_dir)


def _part(part: str, cache_dir: Any) -> tuple[np.ndarray, np.ndarray]:
    labels = _bytes(f"{part}-labels-idx1-ubyte.gz", 8, cache_dir)
    images = _bytes(f"{part}-images-idx3-ubyte.gz", 16, cache_dir)
    return images.reshape(len(labels), 28, 28), labels


def _bytes(name: str, header: int, cache_dir: Any) -> np.ndarray:
    folder = os.path.join("datasets", "fashion-mnist")
    path = stored_file(name, name, None, cache_dir, cache_subdir=folder)
    with gzip.open(path, "rb") as file:
        return np.frombuffer(file.read(), np.uint8, offset=header)
