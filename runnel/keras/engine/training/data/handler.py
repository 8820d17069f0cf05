"""Epochs and steps over whatever holds the data."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import runnel as tf
from runnel.keras.engine.training.data.arrays import ArraySource, is_arrays
from runnel.keras.engine.training.data.batches import Batches
from runnel.keras.engine.training.data.streams import (
    CompositeSource,
    CreatedSource,
    DatasetSource,
    GeneratorSource,
    SequenceSource,
    endless,
    has_composites,
)
from runnel.keras.utils.datasets.dataset_creator import DatasetCreator
from runnel.keras.utils.packing import unpack_x_y_sample_weight
from runnel.keras.utils.sequences import Sequence


def make_source(x: Any, y: Any, sample_weight: Any, **options: Any) -> Any:
    """The source that can handle what was given."""
    if isinstance(x, DatasetCreator):
        _refuse("`DatasetCreator`", y, sample_weight)
        return CreatedSource(x, **options)
    if is_dataset(x):
        _refuse("dataset", y, sample_weight)
        return DatasetSource(x, **options)
    if isinstance(x, Sequence):
        _refuse("`keras.utils.Sequence`", y, sample_weight)
        return SequenceSource(x, **options)
    if inspect.isgenerator(x) or (hasattr(x, "__next__") and hasattr(x, "__iter__")):
        _refuse("python generator", y, sample_weight)
        return GeneratorSource(x, **options)
    if has_composites(x, y, sample_weight):
        return CompositeSource(x, y, sample_weight, **options)
    if is_arrays(x):
        return ArraySource(x, y, sample_weight, **options)
    raise ValueError(
        f"Failed to find data adapter that can handle input: {type(x)}, {type(y)}. Give arrays, "
        "tensors, a tf.data.Dataset, a generator or a keras.utils.Sequence."
    )


def is_dataset(x: Any) -> bool:
    """Whether something is a `tf.data.Dataset`."""
    return hasattr(x, "element_spec") and hasattr(x, "__iter__") and not isinstance(x, tf.Tensor)


def _refuse(what: str, y: Any, sample_weight: Any) -> None:
    for name, value in (("y", y), ("sample_weight", sample_weight)):
        if value is not None and not (isinstance(value, list) and not value):
            raise ValueError(f"`{name}` argument is not supported when using {what} as input.")


class DataHandler:
    """Goes through the data for some epochs, one step at a time."""

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        batch_size: int | None = None,
        steps_per_epoch: int | None = None,
        initial_epoch: int = 0,
        epochs: int = 1,
        shuffle: Any = False,
        class_weight: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        steps_per_execution: int = 1,
        peek: bool = True,
    ) -> None:
        if epochs < 1:
            raise ValueError(f"Expected epochs to be positive. Received is {epochs}.")
        self._initial_epoch, self._epochs = initial_epoch, epochs
        self.source = make_source(
            x,
            y,
            sample_weight,
            batch_size=batch_size,
            steps=steps_per_epoch,
            shuffle=shuffle,
            workers=workers,
            use_multiprocessing=use_multiprocessing,
            max_queue_size=max_queue_size,
            peek=peek,
        )
        self._class_weight = class_weight
        self.steps_per_execution = steps_per_execution
        self.step_increment = steps_per_execution - 1
        self._given_steps = steps_per_epoch is not None and steps_per_epoch != -1
        self.inferred_steps = self._steps(steps_per_epoch)
        self._insufficient = False
        self._current_step = self._initial_step = 0

    def _steps(self, given: int | None) -> int | None:
        if self._given_steps:
            return given
        size = self.source.size
        if size == -1:
            raise endless("`steps_per_epoch`, `validation_steps` or `steps`")
        return size

    def enumerate_epochs(
        self, resume: tuple[int, int] | None = None
    ) -> Iterator[tuple[int, Iterator[Any]]]:
        """Numbers of epochs, with the iterator of each.

        `resume` is where a broken run goes on: an epoch, and its first step.
        """
        if resume is not None:
            self._start_at(*resume)
        batches: Any = None
        try:
            for epoch in range(self._initial_epoch, self._epochs):
                if self._insufficient:
                    return
                endless = self._given_steps and isinstance(self.source, ArraySource)
                if batches is None or (self.source.restarts and not endless):
                    batches = self._weighted(self._endless() if endless else self.source.epoch())
                yield epoch, batches
                self.source.on_epoch_end()
        finally:
            self.source.close()

    def _start_at(self, epoch: int, step: int) -> None:
        if self.inferred_steps is not None and step >= self.inferred_steps:
            epoch, step = epoch + 1, 0
        if epoch >= self._initial_epoch:
            self._initial_epoch, self._initial_step = epoch, step

    def _endless(self) -> Iterator[Any]:
        """Arrays again and again, where the number of steps is the user's."""
        for _ in range(self._initial_epoch, self._epochs):
            yield from self.source.epoch()

    def _weighted(self, batches: Iterator[Any]) -> Batches:
        if self._class_weight:
            batches = map(class_weighting(self._class_weight), batches)
        source = self.source
        return Batches(batches, source.varies, source.element_spec, source.divided)

    def steps(self) -> Iterator[int]:
        """Numbers of the steps of an epoch; data that ends early ends it."""
        self._current_step, self._initial_step = self._initial_step, 0
        limit = self.inferred_steps
        while limit is None or self._current_step < limit:
            if self._insufficient:
                return
            left = None if limit is None else limit - self._current_step
            size = self.steps_per_execution
            self.step_increment = (size if left is None else min(size, left)) - 1
            yield self._current_step
            self._current_step += self.step_increment + 1

    def ran_out(self) -> None:
        """Told when the data ended: the number of steps is known now, or it was too large."""
        if self._given_steps or (self.inferred_steps or 0) > self._current_step > 0:
            if self._given_steps:
                tf.get_logger().warning(
                    "Your input ran out of data; interrupting training. Make sure that your "
                    "dataset or generator can generate at least `steps_per_epoch * epochs` "
                    "batches (in this case, %s batches). You may need to use the repeat() "
                    "function when building your dataset.",
                    (self.inferred_steps or 0) * self._epochs,
                )
            self._insufficient = True
        elif self.inferred_steps is None:
            self.inferred_steps = self._current_step
            if not self.source.restarts:
                self._insufficient = True


def class_weighting(class_weight: dict[int, float]) -> Any:
    """A function that gives a batch the weights of its classes."""
    classes = sorted(class_weight)
    if classes != list(range(len(classes))):
        raise ValueError(
            f"Expected `class_weight` to be a dict with keys from 0 to one less than the number of "
            f"classes, found {class_weight}"
        )
    table = tf.constant([class_weight[c] for c in classes], tf.float32)

    def weighted(batch: Any) -> Any:
        x, y, sample_weight = unpack_x_y_sample_weight(batch)
        if tf.nest.is_nested(y):
            raise ValueError("`class_weight` is only supported for Models with a single output.")
        one_hot = y.shape.rank is not None and y.shape.rank >= 2 and y.shape[-1] != 1
        numbers = tf.argmax(y, axis=-1) if one_hot else tf.cast(tf.reshape(y, [-1]), tf.int64)
        weight = tf.gather(table, numbers)
        if sample_weight is not None:
            weight = tf.cast(weight, sample_weight.dtype) * sample_weight
        return x, y, weight

    return weighted
