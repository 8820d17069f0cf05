"""`tf.keras.applications.imagenet_utils`: images in, names of classes out."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.settings import checked_data_format, floatx
from runnel.keras.utils.downloads.downloading import get_file

_CLASSES = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
_CLASSES_HASH = "c2c37ea517e94d9795004a39431a14cb"
# Mode: (order of channels, divisor, mean, deviation).
_MODES: dict[str, tuple[int, float, list[float], list[float] | None]] = {
    "tf": (1, 127.5, [1.0, 1.0, 1.0], None),
    "torch": (1, 255.0, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    "caffe": (-1, 1.0, [103.939, 116.779, 123.68], None),
}


def preprocess_input(x: Any, data_format: Any = None, mode: str = "caffe") -> Any:
    """Images with values from 0 to 255 as networks expect them.

    "tf": from -1 to 1. "torch": by ImageNet's mean and deviation. "caffe": BGR less the mean.
    Float arrays are changed in place.

    >>> x = np.full((1, 1, 3), 255.0)
    >>> tf.keras.applications.imagenet_utils.preprocess_input(x, mode="tf")
    array([[[1., 1., 1.]]])
    """
    if mode not in _MODES:
        raise ValueError(f"`mode` must be one of {tuple(_MODES)}, got {mode!r}.")
    layout = checked_data_format(data_format)
    if isinstance(x, np.ndarray):
        return _array(x, layout, mode)
    return _tensor(x, layout, mode)


def _channel_axis(rank: int, layout: str) -> int:
    return rank - 1 if layout == "channels_last" else rank - 3


def _array(x: np.ndarray, layout: str, mode: str) -> np.ndarray:
    order, divisor, mean, deviation = _MODES[mode]
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(floatx())
    if mode == "tf":  # the one mode that does not care how many channels there are
        x /= divisor
        x -= 1.0
        return x
    axis = _channel_axis(x.ndim, layout)
    if divisor != 1.0:
        x /= divisor
    if order == -1:
        x = np.flip(x, axis)
    shape = [-1 if i == axis else 1 for i in range(x.ndim)]
    x -= np.reshape(mean, shape)
    if deviation is not None:
        x /= np.reshape(deviation, shape)
    return x


def _tensor(x: Any, layout: str, mode: str) -> Any:
    order, divisor, mean, deviation = _MODES[mode]
    if mode == "tf":
        return x / divisor - 1.0
    axis = _channel_axis(len(x.shape), layout)
    if divisor != 1.0:
        x = x / divisor
    if order == -1:
        x = x[(slice(None),) * axis + (slice(None, None, -1),)]
    shape = [1 if i == axis else 0 for i in range(len(x.shape))]
    shape = [3 if one else 1 for one in shape]
    x = x - tf.constant(np.reshape(mean, shape), x.dtype)
    if deviation is not None:
        x = x / tf.constant(np.reshape(deviation, shape), x.dtype)
    return x


@lru_cache(maxsize=1)
def _classes() -> dict[str, list[str]]:
    path = get_file(
        "imagenet_class_index.json", _CLASSES, cache_subdir="models", file_hash=_CLASSES_HASH
    )
    with open(path) as file:
        found: dict[str, list[str]] = json.load(file)
    return found


def decode_predictions(preds: Any, top: int = 5) -> list[list[tuple[str, str, float]]]:
    """For each sample the `top` most probable classes as (number, name, score)."""
    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ValueError(
            "`decode_predictions` takes a batch of predictions of shape (samples, 1000), got the "
            f"shape {preds.shape}."
        )
    classes = _classes()
    best = [sorted(range(1000), key=lambda i: row[i], reverse=True)[:top] for row in preds]
    return [
        [(*classes[str(i)], row[i]) for i in chosen]  # type: ignore[misc]
        for row, chosen in zip(preds, best)
    ]
