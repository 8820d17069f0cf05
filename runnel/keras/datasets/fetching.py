"""Where the data sets come from, and their files in the cache."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from runnel.keras.utils.downloads.downloading import get_file

_STORE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def stored_file(
    path: str, name: str, file_hash: str | None, cache_dir: Any = None, **kw: Any
) -> str:
    """The cached file `path`, downloaded from Keras's store as `name` if it is not there."""
    if cache_dir:
        cache_dir = os.path.expanduser(cache_dir)
        os.makedirs(cache_dir, exist_ok=True)
    origin = name if "://" in name else _STORE + name
    return get_file(path, origin=origin, file_hash=file_hash, cache_dir=cache_dir, **kw)


def arrays(path: str, *names: str) -> list[np.ndarray]:
    """Arrays of an .npz file whose hash was checked (the lists of words in it are pickled)."""
    with np.load(path, allow_pickle=True) as file:
        return [file[name] for name in names]
