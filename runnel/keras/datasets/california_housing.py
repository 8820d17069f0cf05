"""`tf.keras.datasets.california_housing`: prices in 20,640 districts with 8 features each."""

from __future__ import annotations

import numpy as np

from runnel.keras.datasets.fetching import arrays, stored_file
from runnel.keras.datasets.word_lists import shuffled

_HASH = "1a2e3a52e0398de6463aebe6f4a8da34fb21fbb6b934cf88c3425e766f2a1a6f"
_SIZES = {"small": 600, "large": None}


def load_data(
    version: str = "large",
    path: str = "california_housing.npz",
    test_split: float = 0.2,
    seed: int = 113,
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """`(x_train, y_train), (x_test, y_test)`, the prices in dollars; "small" has 600 districts."""
    if not 0 <= test_split < 1:
        raise ValueError(f"`test_split` must be in [0, 1), got {test_split}.")
    if version not in _SIZES:
        raise ValueError(f'`version` must be "small" or "large", got {version!r}.')
    x, y = arrays(stored_file(path, "california_housing.npz", _HASH), "x", "y")
    x, y = x[: _SIZES[version]], y[: _SIZES[version]]
    x, y = shuffled(np.random.RandomState(seed), x, y)
    cut = int(len(x) * (1 - test_split))
    return (x[:cut], y[:cut]), (x[cut:], y[cut:])
