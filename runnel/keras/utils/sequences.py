"""Batches by number: the data of `fit` that several workers can prepare."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any


class Sequence:
    """A list of batches: give it `__getitem__` and `__len__`.

    >>> class Squares(tf.keras.utils.Sequence):
    ...     def __len__(self):
    ...         return 3
    ...     def __getitem__(self, index):
    ...         return index**2
    >>> list(Squares())
    [0, 1, 4]
    """

    def __getitem__(self, index: int) -> Any:
        """Batch number `index`."""
        raise NotImplementedError(f"{type(self).__name__} must implement `__getitem__`.")

    def __len__(self) -> int:
        """How many batches there are."""
        raise NotImplementedError(f"{type(self).__name__} must implement `__len__`.")

    def on_epoch_end(self) -> None:
        """Called after each epoch; the place to shuffle."""

    def __iter__(self) -> Iterator[Any]:
        for index in range(len(self)):
            yield self[index]


class ThreadsafeIter:
    """An iterator that several threads may ask; an error reaches all of them."""

    def __init__(self, it: Iterator[Any]) -> None:
        self.it = it
        self.lock = threading.Lock()
        self._error: Exception | None = None

    def __iter__(self) -> ThreadsafeIter:
        return self

    def __next__(self) -> Any:
        with self.lock:
            if self._error is not None:
                raise self._error
            try:
                return next(self.it)
            except Exception as error:
                self._error = error
                raise

    next = __next__
