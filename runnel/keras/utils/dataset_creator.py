"""A dataset that is made where it is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runnel as tf


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
