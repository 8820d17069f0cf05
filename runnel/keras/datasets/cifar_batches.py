"""The files of CIFAR-10 and CIFAR-100: pickles of nothing but arrays, lists and strings."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np

from runnel.keras.engine.settings import image_data_format

_ALLOWED = {
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("_codecs", "encode"),
}


class _Unpickler(pickle.Unpickler):
    """Reads arrays and refuses everything that could run code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"A CIFAR file holds no {module}.{name}.")
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def load_batch(path: str, label_key: str = "labels") -> tuple[np.ndarray, list[int]]:
    """The images (in Keras's data format) and the labels in one file."""
    with open(path, "rb") as file:
        read = _Unpickler(io.BytesIO(file.read()), encoding="bytes").load()
    images = read[b"data"].reshape(-1, 3, 32, 32)
    if image_data_format() == "channels_last":
        images = images.transpose(0, 2, 3, 1)
    return images, read[label_key.encode()]
