"""`tf.keras.datasets.cifar100`: 60,000 colour pictures of 32x32 pixels in 100 classes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from runnel.keras.datasets.cifar_batches import load_batch
from runnel.keras.datasets.fetching import stored_file

_ORIGIN = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"
_HASH = "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7"


def load_data(
    label_mode: str = "fine", cache_dir: Any = None
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """`(x_train, y_train), (x_test, y_test)` with the 100 "fine" or the 20 "coarse" classes."""
    if label_mode not in ("fine", "coarse"):
        raise ValueError(f'`label_mode` must be "fine" or "coarse", got {label_mode!r}.')
    folder = stored_file("cifar-100-python", _ORIGIN, _HASH, cache_dir, untar=True)
    key = f"{label_mode}_labels"
    x_train, y_train = load_batch(os.path.join(folder, "train"), key)
    x_test, y_test = load_batch(os.path.join(folder, "test"), key)
    return (x_train, np.reshape(y_train, (-1, 1))), (x_test, np.reshape(y_test, (-1, 1)))
