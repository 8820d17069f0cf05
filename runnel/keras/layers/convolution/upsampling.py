"""Layers that repeat or interpolate along the dimensions of space and time."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.engine.repeating import repeated_along
from runnel.keras.engine.settings import checked_data_format
from runnel.keras.layers.arguments import whole_number
from runnel.keras.layers.convolution.convolution import as_tuple

_METHODS = frozenset(
    "area bicubic bilinear gaussian lanczos3 lanczos5 mitchellcubic nearest".split()
)


class _UpSampling(Layer):
    """What these layers share: `rank` dimensions that grow by whole factors."""

    def __init__(self, rank: int, size: Any, data_format: str | None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = checked_data_format(data_format)
        self._factors = as_tuple(size, rank, "size")
        self._from_axis = 2 if self.data_format == "channels_first" else 1
        self.input_spec = InputSpec(ndim=rank + 2)

    def call(self, inputs: Any) -> Any:
        return repeated_along(inputs, self._factors, self._from_axis)

    def compute_output_shape(self, input_shape: Any) -> Any:
        dims: list[Any] = tf.TensorShape(input_shape).as_list()
        for place, factor in enumerate(self._factors, self._from_axis):
            dims[place] = None if dims[place] is None else dims[place] * factor
        return tf.TensorShape(dims)


class UpSampling1D(_UpSampling):
    """Each step of a sequence `size` times.

    >>> tf.keras.layers.UpSampling1D(2)(tf.constant([[[1.0], [2.0]]])).numpy().ravel()
    array([1., 1., 2., 2.], dtype=float32)
    """

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        self.size = whole_number("size", size)
        super().__init__(1, self.size, "channels_last", **kwargs)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "size": self.size}


class UpSampling2D(_UpSampling):
    """Images made larger by whole factors.

    Args:
        size: the factors for rows and columns.
        data_format: "channels_last" or "channels_first": where the channels are; None is as in
            `keras.json`.
        interpolation: "nearest", "bilinear" or another method of `tf.image.resize`.

    >>> tf.keras.layers.UpSampling2D((1, 2))(tf.ones([2, 3, 3, 1])).shape
    TensorShape([2, 3, 6, 1])
    """

    def __init__(
        self,
        size: Any = (2, 2),
        data_format: str | None = None,
        interpolation: str = "nearest",
        **kwargs: Any,
    ) -> None:
        super().__init__(2, size, data_format, **kwargs)
        if interpolation not in _METHODS:
            raise NotImplementedError(
                f"`interpolation` argument should be one of {sorted(_METHODS)}. Received: "
                f'"{interpolation}".'
            )
        self.size, self.interpolation = self._factors, interpolation

    def call(self, inputs: Any) -> Any:
        if self.interpolation == "nearest":
            return super().call(inputs)
        first = self.data_format == "channels_first"
        images = tf.transpose(inputs, [0, 2, 3, 1]) if first else inputs
        wanted = tf.shape(images)[1:3] * tf.constant(self.size)
        made = tf.image.resize(images, wanted, method=self.interpolation)
        made.set_shape(self._image_shape(images))
        return tf.transpose(made, [0, 3, 1, 2]) if first else made

    def _image_shape(self, images: Any) -> list[Any]:
        batch, height, width, channels = images.shape
        tall, wide = self.size
        return [
            batch,
            None if height is None else height * tall,
            None if width is None else width * wide,
            channels,
        ]

    def get_config(self) -> dict[str, Any]:
        own = {
            "size": self.size,
            "data_format": self.data_format,
            "interpolation": self.interpolation,
        }
        return {**super().get_config(), **own}


class UpSampling3D(_UpSampling):
    """Volumes made larger by whole factors.

    >>> tf.keras.layers.UpSampling3D(2)(tf.ones([1, 2, 3, 4, 1])).shape
    TensorShape([1, 4, 6, 8, 1])
    """

    def __init__(
        self, size: Any = (2, 2, 2), data_format: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(3, size, data_format, **kwargs)
        self.size = self._factors

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "size": self.size, "data_format": self.data_format}
