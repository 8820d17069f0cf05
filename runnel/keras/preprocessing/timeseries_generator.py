"""Windows over a series, batch by batch."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from runnel.keras.utils.sequences import Sequence


class TimeseriesGenerator(Sequence):
    """Batches of windows of `length` steps, each with the target that follows it.

    >>> series = np.arange(6)
    >>> generator = tf.keras.preprocessing.sequence.TimeseriesGenerator(series, series, length=3)
    >>> x, y = generator[0]
    >>> y
    array([3, 4, 5])
    """

    def __init__(
        self,
        data: Any,
        targets: Any,
        length: int,
        sampling_rate: int = 1,
        stride: int = 1,
        start_index: int = 0,
        end_index: int | None = None,
        shuffle: bool = False,
        reverse: bool = False,
        batch_size: int = 128,
    ) -> None:
        if len(data) != len(targets):
            raise ValueError(
                f"`data` and `targets` must have the same length, got {len(data)} and "
                f"{len(targets)}."
            )
        self.data = data
        self.targets = targets
        self.length = length
        self.sampling_rate = sampling_rate
        self.stride = stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle = shuffle
        self.reverse = reverse
        self.batch_size = batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"The first window ends at {self.start_index}, after the last step "
                f"{self.end_index}: no window fits. Use a smaller `length` or `start_index`."
            )

    def __len__(self) -> int:
        step = self.batch_size * self.stride
        return (self.end_index - self.start_index + step) // step

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        ends = self._window_ends(index)
        windows = [self.data[end - self.length : end : self.sampling_rate] for end in ends]
        samples = np.array(windows)
        targets = np.array([self.targets[end] for end in ends])
        return (samples[:, ::-1, ...] if self.reverse else samples), targets

    def _window_ends(self, index: int) -> np.ndarray:
        last = self.end_index + 1
        if self.shuffle:
            return np.random.randint(self.start_index, last, size=self.batch_size)
        step = self.batch_size * self.stride
        first = self.start_index + step * index
        return np.arange(first, min(first + step, last), self.stride)

    def get_config(self) -> dict[str, Any]:
        """All arguments, the data as JSON."""
        return {
            "data": _as_json("Data", self.data),
            "targets": _as_json("Targets", self.targets),
            "length": self.length,
            "sampling_rate": self.sampling_rate,
            "stride": self.stride,
            "start_index": self.start_index,
            "end_index": self.end_index,
            "shuffle": self.shuffle,
            "reverse": self.reverse,
            "batch_size": self.batch_size,
        }

    def to_json(self, **kwargs: Any) -> str:
        """The configuration as JSON; `kwargs` go to `json.dumps`."""
        config = {"class_name": type(self).__name__, "config": self.get_config()}
        return json.dumps(config, **kwargs)


def _as_json(what: str, values: Any) -> str:
    try:
        return json.dumps(values.tolist() if isinstance(values, np.ndarray) else values)
    except TypeError as error:
        raise TypeError(f"{what} not JSON Serializable:", values) from error
