"""Layers with a state that is learned from data before training."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.training.data.streams import DatasetSource, endless

_trimmed = tf.__internal__.tracebacks.trimmed
_Working = tf.__internal__.progress.Working

_Composite = (tf.RaggedTensor, tf.SparseTensor)


class PreprocessingLayer(Layer):
    """Gives layers `adapt`: look at the data once, batch by batch, and settle the state."""

    _adapt_batch_size: int | None = None  # None: an array may be looked at in one piece
    _adapt_batches: int | None = None  # what is known of the size of the batches of a dataset

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._is_compiled = False
        self._is_adapted = False
        self._run_eagerly = True

    @property
    def is_adapted(self) -> bool:
        """Whether the layer has seen its data."""
        return self._is_adapted

    def update_state(self, data: Any) -> None:
        """Take one batch into account."""
        raise NotImplementedError(f"{type(self).__name__} must implement `update_state`.")

    def reset_state(self) -> None:
        """Forget what was learned."""
        raise NotImplementedError(f"{type(self).__name__} must implement `reset_state`.")

    def compile(
        self, run_eagerly: bool | None = None, steps_per_execution: int | None = None
    ) -> None:
        """Say how `adapt` runs; here it always goes batch by batch, without a graph."""
        if steps_per_execution is not None and steps_per_execution < 1:
            raise ValueError(f"`steps_per_execution` must be positive, got {steps_per_execution}.")
        self._run_eagerly = True if run_eagerly is None else run_eagerly
        self._is_compiled = True

    @_trimmed
    def adapt(self, data: Any, batch_size: int | None = None, steps: int | None = None) -> None:
        """Learn the state from data: an array, a tensor or a dataset of batches."""
        if tf.inside_function():
            raise RuntimeError(
                f"`{type(self).__name__}.adapt` cannot be called inside a `tf.function`: call it "
                "before."
            )
        batches = _batches(data, batch_size or self._adapt_batch_size, steps)
        if not self._is_compiled:
            self.compile()
        if self.built:
            self.reset_state()
            self._is_adapted = False
        self._adapt_batches = _known_batches(data)
        step = self.make_adapt_function()
        with _Working(f"{type(self).__name__}.adapt", steps, "batches") as work:
            for _ in itertools.count() if steps is None else range(steps):
                try:
                    step(batches)
                except StopIteration:
                    break
                work.done += 1
            self.finalize_state()
        self._is_adapted = True

    def make_adapt_function(self) -> Callable[[Iterator[Any]], None]:
        """The function that takes one batch of an iterator into account."""

        def adapt_step(iterator: Iterator[Any]) -> None:
            batch = next(iterator)
            self._build_for(batch)
            self.update_state(batch)

        return adapt_step

    def _build_for(self, batch: Any) -> None:
        if self.built:
            return
        shape = batch.shape.as_list()
        if getattr(self, "_batch_input_shape", None) is None:
            self._batch_input_shape = (None,) * len(shape)
        self.build(tf.TensorShape([self._adapt_batches, *shape[1:]]))
        self.built = True


def _known_batches(data: Any) -> int | None:
    """The first dimension of what a dataset gives; in one without batches, that of its elements."""
    shape = getattr(getattr(data, "element_spec", None), "shape", None)
    return shape[0] if shape is not None and shape.rank else None


def _batches(data: Any, batch_size: int | None, steps: int | None) -> Iterator[Any]:
    if isinstance(data, tf.data.Dataset):
        source = DatasetSource(data, steps)
        if source.size == -1 and steps is None:
            raise endless("`steps`")
        return source.epoch()
    if isinstance(data, Iterator):
        return map(_as_batch, data)
    if isinstance(data, _Composite):
        return iter([data])
    return _slices(_tensor(data), batch_size)


def _as_batch(batch: Any) -> Any:
    return batch if isinstance(batch, (tf.Tensor, *_Composite)) else tf.constant(batch)


def _slices(tensor: Any, batch_size: int | None) -> Iterator[tf.Tensor]:
    if batch_size is None or tensor.shape.rank == 0:
        yield tensor
        return
    for first in range(0, tensor.shape[0], batch_size):
        yield tensor[first : first + batch_size]


def _tensor(data: Any) -> tf.Tensor:
    if hasattr(data, "to_numpy"):  # a pandas series or frame
        data = data.to_numpy()
    if isinstance(data, list | tuple) and data and tf.is_tensor(data[0]):
        return tf.stack(data)
    if isinstance(data, np.ndarray) and data.dtype.kind in "OU":
        return tf.constant(data.tolist())
    return tf.convert_to_tensor(data)
