"""`tf.keras.datasets.boston_housing`: prices of 506 houses with 13 features each."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.keras.datasets.fetching import arrays, stored_file
from runnel.keras.datasets.word_lists import shuffled

_HASH = "f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5"


def load_data(
    path: str = "boston_housing.npz",
    test_split: float = 0.2,
    seed: int = 113,
    cache_dir: Any = None,
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """`(x_train, y_train), (x_test, y_test)`, the prices in thousands of dollars."""
    if not 0 <= test_split < 1:
        raise AssertionError(f"`test_split` must be in [0, 1), got {test_split}.")
    x, y = arrays(stored_file(path, "boston_housing.npz", _HASH, cache_dir), "x", "y")
    x, y = shuffled(np.random.RandomState(seed), x, y)
    cut = int(len(x) * (1 - test_split))
    return (x[:cut], y[:cut]), (x[cut:], y[cut:])
