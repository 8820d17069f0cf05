"""`tf.keras.datasets.cifar10`: 60,000 colour pictures of 32x32 pixels in 10 classes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from runnel.keras.datasets.cifar_batches import load_batch
from runnel.keras.datasets.fetching import stored_file

_ORIGIN = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"
_HASH = "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce"


def load_data(
    cache_dir: Any = None,
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """`(x_train, y_train), (x_test, y_test)`, images and columns of classes as uint8.

    Args:
        cache_dir: the folder of the cache; None is `~/.keras`.
    """
    folder = stored_file("cifar-10-batches-py", _ORIGIN, _HASH, cache_dir, untar=True)
    batches = [load_batch(os.path.join(folder, f"data_batch_{i}")) for i in range(1, 6)]
    x_train = np.concatenate([images for images, _ in batches])
    y_train = np.concatenate([labels for _, labels in batches])
    x_test, y_test = load_batch(os.path.join(folder, "test_batch"))
    return (x_train, _column(y_train)), (x_test, _column(y_test))


def _column(labels: Any) -> np.ndarray:
    return np.asarray(labels, dtype="uint8").reshape(-1, 1)
