"""The mean or the largest element of windows, in 1, 2 and 3 dimensions."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.v1.layers.base import Layer, Spec
from runnel.v1.layers.convolution import checked, sizes


class Pooling(Layer):
    """What all have in common."""

    rank: int
    kind: str

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        if strides is None:
            strides = pool_size
        self.pool_size = sizes(pool_size, self.rank, "pool_size")
        self.strides = sizes(strides, self.rank, "strides")
        self.padding, self.data_format = padding.lower(), checked(data_format)
        self.input_spec = Spec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:  # type: ignore[override]
        space = {1: "W", 2: "HW", 3: "DHW"}[self.rank]
        first = self.data_format == "channels_first"
        return tf.nn.pool(
            inputs,
            list(self.pool_size),
            self.kind,
            list(self.strides),
            self.padding.upper(),
            f"NC{space}" if first else f"N{space}C",
            name=f"{'Max' if self.kind == 'MAX' else 'Avg'}Pool",
        )


class MaxPooling1D(Pooling):
    """The largest elements of windows of sequences."""

    rank, kind = 1, "MAX"


class MaxPooling2D(Pooling):
    """The largest elements of windows of images."""

    rank, kind = 2, "MAX"


class MaxPooling3D(Pooling):
    """The largest elements of windows of volumes."""

    rank, kind = 3, "MAX"


class AveragePooling1D(Pooling):
    """The means of windows of sequences."""

    rank, kind = 1, "AVG"


class AveragePooling2D(Pooling):
    """The means of windows of images."""

    rank, kind = 2, "AVG"


class AveragePooling3D(Pooling):
    """The means of windows of volumes."""

    rank, kind = 3, "AVG"
