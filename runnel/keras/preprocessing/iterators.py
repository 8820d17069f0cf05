"""Endless batches of images: what array and file iterators share."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator as PythonIterator
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.utils.image_files import array_to_img
from runnel.keras.utils.sequences import Sequence

FORMATS = ("png", "jpg", "jpeg", "bmp", "ppm", "tif", "tiff")


class Iterator(Sequence):
    """Batches by number or one after another without end; subclasses make them of indices."""

    white_list_formats = FORMATS

    def __init__(self, n: int, batch_size: int, shuffle: bool, seed: int | None) -> None:
        self.n = n
        self.batch_size = batch_size
        self.seed = seed
        self.shuffle = shuffle
        self.batch_index = 0
        self.total_batches_seen = 0
        self.lock = threading.Lock()
        self.index_array: np.ndarray | None = None
        self.index_generator = self._flow_index()

    def __len__(self) -> int:
        return -(-self.n // self.batch_size)

    def __getitem__(self, idx: int) -> Any:
        if idx >= len(self):
            raise ValueError(f"There is no batch {idx}: the sequence has {len(self)} batches.")
        self._seed_batch()
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_index_array()
        assert self.index_array is not None
        chosen = self.index_array[self.batch_size * idx : self.batch_size * (idx + 1)]
        return self._get_batches_of_transformed_samples(chosen)

    def __iter__(self) -> PythonIterator[Any]:
        return self  # type: ignore[return-value]

    def __next__(self) -> Any:
        return self.next()

    def next(self) -> Any:
        """The next batch."""
        with self.lock:
            chosen = next(self.index_generator)
        return self._get_batches_of_transformed_samples(chosen)  # outside of the lock: slow

    def on_epoch_end(self) -> None:
        """Draw a new order."""
        self._set_index_array()

    def reset(self) -> None:
        """Begin with the first batch again."""
        self.batch_index = 0

    def _seed_batch(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)

    def _set_index_array(self) -> None:
        tf.__internal__.arguments.check_room("Iterator", (self.n,), 8)
        self.index_array = np.arange(self.n)
        if self.shuffle:
            self.index_array = np.random.permutation(self.n)

    def _flow_index(self) -> PythonIterator[np.ndarray]:
        self.reset()
        while True:
            self._seed_batch()
            if self.batch_index == 0:
                self._set_index_array()
            assert self.index_array is not None
            first = self.batch_index * self.batch_size % self.n if self.n else 0
            last = self.n <= first + self.batch_size
            self.batch_index = 0 if last else self.batch_index + 1
            self.total_batches_seen += 1
            yield self.index_array[first : first + self.batch_size]

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must say what a batch is.")


def save_batch(owner: Any, batch: np.ndarray, indices: np.ndarray, numbers: int) -> None:
    """Write the images of a batch to the iterator's `save_to_dir`."""
    for image, index in zip(batch, indices):
        name = f"{owner.save_prefix}_{index}_{np.random.randint(numbers)}.{owner.save_format}"
        picture = array_to_img(image, owner.data_format, scale=True)
        picture.save(os.path.join(owner.save_to_dir, name))


def check_subset(subset: Any) -> None:
    """Raise unless it names a part of the data."""
    if subset not in (None, "training", "validation"):
        raise ValueError(f'`subset` must be "training" or "validation", got {subset!r}.')
