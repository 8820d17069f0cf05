"""Batches from datasets, generators and `Sequence`s."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.settings import floatx
from runnel.keras.utils.datasets.dataset_creator import InputContext
from runnel.keras.utils.enqueuers import GeneratorEnqueuer
from runnel.keras.utils.packing import pack_x_y_sample_weight
from .arrays import as_arrays, is_composite, is_sparse_matrix, sparse_tensor
from .batches import spec_varies
from .workers import prefetched


def as_tensors(batch: Any) -> Any:
    """A batch that Python made, as tensors; floats in the default dtype."""
    if isinstance(batch, list):
        batch = tuple(batch)
    return tf.nest.map_structure(_tensor, batch)


def _tensor(value: Any) -> Any:
    if value is None or tf.is_tensor(value) or is_composite(value):
        return value
    if is_sparse_matrix(value):
        return sparse_tensor(value)
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    array = np.asarray(value)
    return tf.convert_to_tensor(array.astype(floatx()) if array.dtype.kind == "f" else array)


class DatasetSource:
    """A `tf.data.Dataset`, begun again with each epoch unless the number of steps is given."""

    shuffle = False
    batch_size: int | None = None

    def __init__(self, x: Any, steps: int | None = None, **ignored: Any) -> None:
        x = tf.__internal__.distribute.own_dataset(x)
        self.divided = isinstance(x, tf.distribute.DistributedDataset)
        self._dataset = x
        self.size = _cardinality(x)
        self.element_spec = x.element_spec
        self.varies = spec_varies(x.element_spec)
        self.restarts = steps is None or steps == self.size
        self._begun = not self.restarts

    def epoch(self) -> Iterator[Any]:
        if not self._begun:
            # tf_keras makes an iterator before the first epoch and another with it, so that a
            # dataset that is shuffled anew each time begins with the second of its orders.
            iter(self._dataset)
            self._begun = True
        return iter(self._dataset)

    def on_epoch_end(self) -> None:
        """Nothing to do between epochs."""

    def close(self) -> None:
        """Nothing to do at the end."""


class CreatedSource(DatasetSource):
    """The dataset of a `DatasetCreator`, which goes on from epoch to epoch."""

    def __init__(self, x: Any, steps: int | None = None, **ignored: Any) -> None:
        if steps is None:
            raise ValueError(
                "A `DatasetCreator` says nothing of its size: give `steps_per_epoch`, "
                "`validation_steps` or `steps`."
            )
        super().__init__(x(InputContext()), steps)
        self.restarts, self._begun = False, True


def endless(steps: str) -> ValueError:
    """The error for a dataset without end; `steps` is the argument that gives it one."""
    return ValueError(
        "When passing an infinitely repeating dataset, say how many of its batches to take with "
        f"{steps}, cut it off with `Dataset.take(count)`, or leave out its `repeat()`."
    )


class CompositeSource(DatasetSource):
    """Composite tensors or sparse matrices in memory, as a dataset of their rows."""

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        shuffle: Any = False,
        **ignored: Any,
    ) -> None:
        data = pack_x_y_sample_weight(*map(as_arrays, (x, y, sample_weight)))
        rows = tf.data.Dataset.from_tensor_slices(data)
        count = _cardinality(rows) or 0
        self.batch_size = batch_size or (math.ceil(count / steps) if steps else 32)
        rows = rows.shuffle(count) if shuffle else rows
        super().__init__(rows.batch(self.batch_size))


def has_composites(*data: Any) -> bool:
    """Whether there are composite tensors or sparse matrices in the data."""
    parts = [x for x in tf.nest.flatten(data) if x is not None and type(x) is not np.ndarray]
    return any(is_composite(x) or is_sparse_matrix(x) for x in parts)


def _cardinality(dataset: Any) -> int | None:
    try:
        size = int(dataset.cardinality())
    except (AttributeError, TypeError, NotImplementedError):
        return None
    if size == -1:
        return -1
    return size if size >= 0 else None


class GeneratorSource:
    """A Python generator or iterator, which goes on from epoch to epoch."""

    shuffle = False
    batch_size = None
    size = None
    divided = False
    varies = True
    element_spec = None
    restarts = False

    def __init__(
        self,
        x: Any,
        workers: int = 1,
        max_queue_size: int = 10,
        use_multiprocessing: bool = False,
        **ignored: Any,
    ) -> None:
        self._batches = iter(x)
        self._enqueuer: GeneratorEnqueuer | None = None
        if workers > 1 or (workers > 0 and use_multiprocessing):
            self._enqueuer = GeneratorEnqueuer(self._batches, use_multiprocessing)
            self._enqueuer.start(workers, max_queue_size)
            self._batches = self._enqueuer.get()

    def epoch(self) -> Iterator[Any]:
        return map(as_tensors, self._batches)

    def on_epoch_end(self) -> None:
        """Nothing to do between epochs."""

    def close(self) -> None:
        """End the workers."""
        if self._enqueuer is not None:
            self._enqueuer.stop()


class SequenceSource:
    """A `keras.utils.Sequence`, whose batches can be made by several workers."""

    batch_size = None
    divided = False
    varies = True
    element_spec = None
    restarts = True

    def __init__(
        self,
        x: Any,
        shuffle: Any = False,
        workers: int = 1,
        use_multiprocessing: bool = False,
        max_queue_size: int = 10,
        peek: bool = True,
        **ignored: Any,
    ) -> None:
        if peek and len(x):
            x[0]  # tf_keras looks at the first batch: sequences that draw numbers count it
        self._sequence = x
        self.shuffle = shuffle
        self.size = len(x)
        self._workers, self._processes = workers, use_multiprocessing
        self._queue = max_queue_size

    def epoch(self) -> Iterator[Any]:
        order = list(range(len(self._sequence)))
        if self.shuffle:
            random.shuffle(order)
        batches = prefetched(self._sequence, order, self._workers, self._processes, self._queue)
        return map(as_tensors, batches)

    def on_epoch_end(self) -> None:
        self._sequence.on_epoch_end()
        self.size = len(self._sequence)

    def close(self) -> None:
        """Nothing to do at the end: workers go with their epoch."""
