"""A dataset in two parts."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import runnel as tf


def split_dataset(
    dataset: Any,
    left_size: float | None = None,
    right_size: float | None = None,
    shuffle: bool = False,
    seed: int | None = None,
) -> tuple[Any, Any]:
    """Two datasets of the first and the last samples, sizes as counts or fractions.

    For data that fits into memory: a dataset, an array, or a list or tuple of arrays.

    >>> left, right = tf.keras.utils.split_dataset(np.arange(10), left_size=0.8)
    >>> len(left), len(right)
    (8, 2)
    """
    if not isinstance(dataset, tf.data.Dataset | list | tuple | np.ndarray):
        raise TypeError(
            "`dataset` must be a `tf.data.Dataset` or a list or tuple of arrays, got "
            f"{dataset} of type {type(dataset)}."
        )
    if left_size is None and right_size is None:
        raise ValueError("At least one of `left_size` and `right_size` must be given.")
    samples = _samples(dataset)
    if shuffle:
        random.seed(random.randint(0, 1_000_000) if seed is None else seed)
        random.shuffle(samples)
    left, right = _sizes(left_size, right_size, len(samples))
    return _dataset(samples[:left], dataset), _dataset(samples[-right:], dataset)


def _samples(dataset: Any) -> list[Any]:
    if isinstance(dataset, list | tuple):
        _check_arrays(dataset)
        return [_row(sample) for sample in zip(*dataset)]
    if isinstance(dataset, tf.data.Dataset) and _batch_size(dataset) is not None:
        dataset = dataset.unbatch()
    if not tf.executing_eagerly():
        raise NotImplementedError("split_dataset reads the elements, which a function cannot.")
    samples = list(dataset)
    if not samples:
        raise ValueError("`dataset` is empty.")
    return samples


def _check_arrays(arrays: Any) -> None:
    if not arrays:
        raise ValueError("`dataset` is empty: give a list or tuple of arrays.")
    if not isinstance(arrays[0], np.ndarray):
        raise ValueError(f"`dataset` must hold arrays, got {type(arrays[0])}.")
    for i, array in enumerate(arrays):
        if len(array) != len(arrays[0]):
            raise ValueError(
                f"The arrays must have one length: {len(arrays[0])} at 0 and {len(array)} at {i}."
            )


def _row(sample: tuple[Any, ...]) -> np.ndarray:
    try:
        return np.array(sample)  # one dtype for all columns, as Keras has it
    except ValueError:
        return np.array(sample, dtype=object)


def _batch_size(dataset: Any) -> Any:
    return getattr(dataset, "_batch_size", None)


def _dataset(samples: list[Any], original: Any) -> Any:
    columns: Any = samples
    first = samples[0]
    if isinstance(first, dict):
        columns = {key: [sample[key] for sample in samples] for key in first}
    elif not isinstance(original, np.ndarray):
        columns = tuple(np.array(column) for column in zip(*samples))
    dataset = tf.data.Dataset.from_tensor_slices(columns)
    if isinstance(original, tf.data.Dataset) and _batch_size(original) is not None:
        dataset = dataset.batch(_batch_size(original))
    return dataset.prefetch(tf.data.AUTOTUNE)


def _sizes(left: Any, right: Any, total: int) -> tuple[int, int]:
    for name, size in (("left_size", left), ("right_size", right)):
        if size is not None and type(size) not in (int, float):
            raise TypeError(f"`{name}` must be an int or a float, got {size!r}.")
        if size is not None and not 0 < size < (total if isinstance(size, int) else 1):
            raise ValueError(
                f"`{name}` must be a count below {total} or a fraction between 0 and 1, got {size}."
            )
    if isinstance(left, float) and isinstance(right, float) and left + right > 1:
        raise ValueError(f"`left_size` and `right_size` exceed 1 together: {left} + {right}.")
    counts = [round(s * total) if isinstance(s, float) else s for s in (left, right)]
    if counts[0] is None:
        counts[0] = total - counts[1]
    if counts[1] is None:
        counts[1] = total - counts[0]
    if sum(counts) > total:
        raise ValueError(f"The two parts, {counts}, exceed the {total} samples.")
    if 0 in counts:
        raise ValueError(f"One of the parts of {total} samples would be empty: {counts}.")
    return counts[0], counts[1]
