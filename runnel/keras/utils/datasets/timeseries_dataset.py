"""Windows over a series as a dataset."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf


def timeseries_dataset_from_array(
    data: Any,
    targets: Any,
    sequence_length: int,
    sequence_stride: int = 1,
    sampling_rate: int = 1,
    batch_size: int | None = 128,
    shuffle: bool = False,
    seed: int | None = None,
    start_index: int | None = None,
    end_index: int | None = None,
) -> Any:
    """Windows of `sequence_length` steps, each with the target at its first step.

    >>> series = np.arange(5)
    >>> dataset = tf.keras.utils.timeseries_dataset_from_array(series, None, 3)
    >>> next(iter(dataset)).numpy()
    array([[0, 1, 2],
           [1, 2, 3],
           [2, 3, 4]])
    """
    _check_bounds(len(data), start_index, end_index)
    for name, step in (("sampling_rate", sampling_rate), ("sequence_stride", sequence_stride)):
        if not 0 < step < len(data):
            raise ValueError(f"`{name}` must be between 0 and {len(data)}, got {step}.")
    part = slice(start_index or 0, len(data) if end_index is None else end_index)
    count = part.stop - part.start - (sequence_length - 1) * sampling_rate
    if targets is not None:
        count = min(count, len(targets))
    starts = np.arange(0, count, sequence_stride, dtype="int32" if count < 2**31 - 1 else "int64")
    if shuffle:
        seed = np.random.randint(1_000_000) if seed is None else seed
        np.random.RandomState(seed).shuffle(starts)
    tf.__internal__.arguments.check_room("sequence_length", (sequence_length,), 8)
    steps = np.arange(0, sequence_length * sampling_rate, sampling_rate, dtype=starts.dtype)
    series = tf.convert_to_tensor(data[part])
    answers = None if targets is None else tf.convert_to_tensor(targets[part])

    def windows(start: tf.Tensor) -> Any:
        window = tf.gather(series, tf.expand_dims(start, -1) + steps)
        return window if answers is None else (window, tf.gather(answers, start))

    dataset = tf.data.Dataset.from_tensor_slices(starts)
    if shuffle:
        size = 1024 if batch_size is None else batch_size * 8
        dataset = dataset.shuffle(buffer_size=size, seed=seed)
    # Batches of places first: one lookup for a whole batch of windows.
    if batch_size is not None:
        dataset = dataset.batch(batch_size)
    return dataset.map(windows, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)


def _check_bounds(length: int, start: int | None, end: int | None) -> None:
    if start and not 0 <= start < length:
        raise ValueError(f"`start_index` must be in the data of length {length}, got {start}.")
    if end and start and end <= start:
        raise ValueError(f"`end_index` must be beyond `start_index`, got {end} and {start}.")
    if end and not 0 < end < length:
        raise ValueError(f"`end_index` must be in the data of length {length}, got {end}.")
