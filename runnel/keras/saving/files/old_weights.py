"""Weights as files of earlier years have them, made those that layers have now.

Keras 1 kept the gates of a recurrent layer apart and the kernels of convolutions in other orders;
layers for cuDNN kept theirs as that library has them. A wrapper or a model inside of a model has
the weights of its layers one after another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Arrays = list[np.ndarray[Any, Any]]


def as_now(layer: Any, arrays: Arrays, version: str) -> Arrays:
    """The weights of a layer from a file that this version of Keras wrote."""
    kind = type(layer).__name__
    if kind == "Bidirectional":
        half = len(arrays) // 2
        forward = as_now(layer.forward_layer, arrays[:half], version)
        return forward + as_now(layer.backward_layer, arrays[half:], version)
    if kind == "TimeDistributed":
        return as_now(layer.layer, arrays, version)
    if kind in ("Model", "Sequential", "Functional"):
        return _of_model(layer, arrays, version)
    if version.startswith("1") and arrays:
        arrays = _OF_KERAS_1.get(kind, _same)(layer, list(arrays))
    if kind in _CONVOLUTIONS and arrays:
        arrays = _reordered(layer, list(arrays), kind)
    return _RECURRENT.get(kind, _same)(layer, list(arrays))


def _same(layer: Any, arrays: Arrays) -> Arrays:
    return arrays


def _of_model(model: Any, arrays: Arrays, version: str) -> Arrays:
    """Those of a model inside of a model: the trainable ones of all layers, then the others."""
    count = len(model.trainable_weights)
    trained, others = arrays[:count], arrays[count:]
    made: tuple[Arrays, Arrays] = ([], [])
    for layer in model.layers:
        n, m = len(layer.trainable_weights), len(layer.non_trainable_weights)
        found = as_now(layer, trained[:n] + others[:m], version) if n + m else []
        made[0].extend(found[:n])
        made[1].extend(found[n:])
        trained, others = trained[n:], others[m:]
    return made[0] + trained + made[1] + others


def _turned(order: tuple[int, ...], data_format: str) -> Callable[[Any, Arrays], Arrays]:
    """Another order of the dimensions of a kernel, if the layer has its channels there."""

    def turn(layer: Any, arrays: Arrays) -> Arrays:
        if layer.data_format == data_format:
            arrays[0] = np.transpose(arrays[0], order)
        return arrays

    return turn


def _conv1d(layer: Any, arrays: Arrays) -> Arrays:
    """Keras 1 had a second dimension of one step."""
    kernel = arrays[0]
    if kernel.ndim != 4:
        return arrays
    size = layer.kernel_size[0]
    if kernel.shape[:2] != (size, 1) or kernel.shape[3] != layer.filters:
        kernel = np.transpose(kernel, (2, 3, 1, 0))
    arrays[0] = kernel[:, 0]
    return arrays


def _transposed(layer: Any, arrays: Arrays) -> Arrays:
    last = layer.data_format == "channels_last"
    arrays[0] = np.transpose(arrays[0], (0, 1, 3, 2) if last else (2, 3, 0, 1))
    return arrays


def _joined(order: tuple[int, ...]) -> Callable[[Any, Arrays], Arrays]:
    """Gates side by side that were apart: input, recurrent and bias of each, in another order."""

    def join(layer: Any, arrays: Arrays) -> Arrays:
        if len(arrays) != 3 * len(order):
            return arrays
        return [
            np.concatenate([arrays[3 * gate + part] for gate in order], axis=-1)
            for part in range(3)
        ]

    return join


def _conv_lstm(layer: Any, arrays: Arrays) -> Arrays:
    found = _joined((0, 2, 1, 3))(layer, arrays)
    if len(arrays) == 12 and layer.data_format == "channels_first":
        found[:2] = [np.transpose(kernel, (2, 3, 1, 0)) for kernel in found[:2]]
    return found


_OF_KERAS_1: dict[str, Callable[[Any, Arrays], Arrays]] = {
    "Conv1D": _conv1d,
    "Conv2D": _turned((2, 3, 1, 0), "channels_first"),
    "Conv2DTranspose": _transposed,
    "Conv3D": _turned((2, 3, 4, 1, 0), "channels_first"),
    "ConvLSTM2D": _conv_lstm,
    "GRU": _joined((0, 1, 2)),
    "LSTM": _joined((0, 2, 1, 3)),  # input, forget, cell, output
}
_CONVOLUTIONS = frozenset({"Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose", "ConvLSTM2D"})


def _reordered(layer: Any, arrays: Arrays, kind: str) -> Arrays:
    """Kernels with their channels before their places, as another library has them."""
    if tuple(layer.weights[0].shape) != arrays[0].shape and arrays[0].ndim == 4:
        count = 2 if kind == "ConvLSTM2D" else 1
        arrays[:count] = [np.transpose(kernel, (3, 2, 0, 1)) for kernel in arrays[:count]]
    return arrays


def _from_cudnn(arrays: Arrays, gates: int) -> Arrays:
    """Kernels of cuDNN, in its order of memory, as those of Keras; the biases stay."""
    kernels = [k.T.reshape(k.shape, order="F") for k in np.hsplit(arrays[0], gates)]
    recurrent = [k.T for k in np.hsplit(arrays[1], gates)]
    return [np.hstack(kernels), np.hstack(recurrent), *arrays[2:]]


def _lstm(layer: Any, arrays: Arrays) -> Arrays:
    if len(arrays) != 3:
        return arrays
    units, bias = arrays[1].shape[0], arrays[2].shape
    if bias == (4 * units,):
        return arrays
    if bias != (8 * units,):
        raise ValueError(f"Invalid bias shape: {bias}")
    found = _from_cudnn(arrays, 4)
    found[2] = np.add(*np.split(found[2], 2))
    return found


def _gru(layer: Any, arrays: Arrays) -> Arrays:
    if len(arrays) != 3:
        return arrays
    units, bias = arrays[1].shape[0], arrays[2].shape
    kinds = {(6 * units,): "CuDNNGRU", (2, 3 * units): _AFTER, (3 * units,): _BEFORE}
    if bias not in kinds:
        raise ValueError(f"Invalid bias shape: {bias}")
    source, target = kinds[bias], _AFTER if layer.reset_after else _BEFORE
    if source == target:
        return arrays
    if target == _BEFORE or source == _BEFORE:
        raise ValueError(f"{source} is not compatible with {target}")
    found = _from_cudnn(arrays, 3)
    found[2] = found[2].reshape((2, -1))
    return found


_AFTER, _BEFORE = "GRU(reset_after=True)", "GRU(reset_after=False)"
_RECURRENT: dict[str, Callable[[Any, Arrays], Arrays]] = {"LSTM": _lstm, "GRU": _gru}
