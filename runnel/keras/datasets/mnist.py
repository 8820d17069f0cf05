"""`tf.keras.datasets.mnist`: 70,000 handwritten digits of 28x28 pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.keras.datasets.fetching import arrays, stored_file

_HASH = "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"


def load_data(
    path: str = "mnist.npz", cache_dir: Any = None
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """`(x_train, y_train), (x_test, y_test)`, images as uint8, digits from 0 to 9.

    Args:
        path: the name of the file in the cache.
        cache_dir: the folder of the cache; None is `~/.keras`.
    """
    file = stored_file(path, "mnist.npz", _HASH, cache_dir)
    x_train, y_train, x_test, y_test = arrays(file, "x_train", "y_train", "x_test", "y_test")
    return (x_train, y_train), (x_test, y_test)
