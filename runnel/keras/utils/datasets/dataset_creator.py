"""A dataset that is made where it is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import runnel as tf


@dataclass(frozen=True)
class InputContext:
    """For whom a dataset is made: one pipeline for one replica, since there is one machine."""

    num_input_pipelines: int = 1
    input_pipeline_id: int = 0
    num_replicas_in_sync: int = 1

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The part of a batch that each replica has."""
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"`global_batch_size` {global_batch_size} is not divisible by the "
                f"{self.num_replicas_in_sync} replicas."
            )
        return global_batch_size // self.num_replicas_in_sync


class DatasetCreator:
    """A function that makes a dataset, for `fit` to call on each worker.

    >>> creator = tf.keras.utils.experimental.DatasetCreator(lambda _: tf.data.Dataset.range(3))
    >>> len(creator(None))
    3
    """

    def __init__(self, dataset_fn: Callable[..., Any], input_options: Any = None) -> None:
        if not callable(dataset_fn):
            raise TypeError(f"`dataset_fn` must be a function, got {dataset_fn!r}.")
        if input_options is not None and type(input_options).__name__ != "InputOptions":
            raise TypeError(
                f"`input_options` must be a `tf.distribute.InputOptions`, got {input_options!r}."
            )
        self.dataset_fn = dataset_fn
        self.input_options = input_options

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        dataset = self.dataset_fn(*args, **kwargs)
        if not isinstance(dataset, tf.data.Dataset):
            raise TypeError(f"`dataset_fn` must return a dataset, it returned {dataset!r}.")
        return dataset
