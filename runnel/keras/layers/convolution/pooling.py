"""Pooling: one value of each window, or of each channel."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.engine.settings import checked_data_format
from runnel.keras.layers.arguments import written
from runnel.keras.layers.convolution.convolution import as_tuple, conv_length


class Pooling(Layer):
    """What poolings of windows share; `rank` is the number of dimensions they slide along."""

    def __init__(
        self,
        rank: int,
        pool_function: Any,
        pool_size: Any,
        strides: Any,
        padding: str,
        data_format: str | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.rank = rank
        self.pool_function = pool_function
        self.pool_size = as_tuple(pool_size, rank, "pool_size")
        self.strides = as_tuple(pool_size if strides is None else strides, rank, "strides")
        self.padding = str(padding).lower()
        if self.padding not in ("valid", "same"):
            raise ValueError(f"`padding` must be 'valid' or 'same', got {padding!r}.")
        self.data_format = checked_data_format(data_format)
        self.input_spec = InputSpec(ndim=rank + 2)

    def call(self, inputs: Any) -> Any:
        space = "DHW"[-self.rank :]
        last = self.data_format == "channels_last"
        return self.pool_function(
            inputs,
            self.pool_size,
            self.strides,
            self.padding.upper(),
            data_format=f"N{space}C" if last else f"NC{space}",
        )

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tf.TensorShape(input_shape).as_list()
        first = 1 if self.data_format == "channels_last" else 2
        sizes = [
            conv_length(shape[first + i], self.pool_size[i], self.padding, self.strides[i])
            for i in range(self.rank)
        ]
        return tf.TensorShape([*shape[:first], *sizes, *shape[first + self.rank :]])

    def get_config(self) -> dict[str, Any]:
        own = {
            "pool_size": self.pool_size,
            "padding": self.padding,
            "strides": self.strides,
            "data_format": self.data_format,
        }
        return {**super().get_config(), **own}


class GlobalPooling(Layer):
    """What poolings of whole channels share."""

    def __init__(
        self, rank: int, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.rank = rank
        self.data_format = checked_data_format(data_format)
        self.keepdims = keepdims
        self.input_spec = InputSpec(ndim=rank + 2)

    def build(self, input_shape: Any) -> None:
        sizes = tf.TensorShape(input_shape).as_list()
        if any(sizes[axis] == 0 for axis in self._axes):
            raise ValueError(
                f"{type(self).__name__} cannot pool inputs of shape {tuple(sizes)}, which have "
                f"nothing along one of the axes {self._axes}."
            )
        super().build(input_shape)

    @property
    def _axes(self) -> list[int]:
        first = 1 if self.data_format == "channels_last" else 2
        return list(range(first, first + self.rank))

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tf.TensorShape(input_shape).as_list()
        kept = [1 if i in self._axes else n for i, n in enumerate(shape)]
        dropped = [n for i, n in enumerate(shape) if i not in self._axes]
        return tf.TensorShape(kept if self.keepdims else dropped)

    def get_config(self) -> dict[str, Any]:
        own = {"data_format": self.data_format, "keepdims": self.keepdims}
        return {**super().get_config(), **own}


class Pooling1D(Pooling):
    """What poolings in one dimension share."""

    def __init__(
        self,
        pool_function: Any,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            1, pool_function, pool_size, strides, padding, data_format, name=name, **kwargs
        )

    def get_config(self) -> dict[str, Any]:
        order = ("strides", "pool_size", "padding", "data_format")  # not that of images
        return {**Layer.get_config(self), **written(self, order)}


class MaxPooling1D(Pooling1D):
    """The largest value in each window of a sequence.

    >>> tf.keras.layers.MaxPooling1D()(tf.ones([2, 8, 3])).shape
    TensorShape([2, 4, 3])
    """

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        **kwargs: Any,
    ) -> None:
        super().__init__(tf.nn.max_pool1d, pool_size, strides, padding, data_format, **kwargs)


class AveragePooling1D(Pooling1D):
    """The mean in each window of a sequence.

    >>> tf.keras.layers.AveragePooling1D()(tf.ones([2, 8, 3])).shape
    TensorShape([2, 4, 3])
    """

    def __init__(
        self,
        pool_size: Any = 2,
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        **kwargs: Any,
    ) -> None:
        super().__init__(tf.nn.avg_pool1d, pool_size, strides, padding, data_format, **kwargs)


class Pooling2D(Pooling):
    """What poolings in two dimensions share."""

    def __init__(
        self,
        pool_function: Any,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            2, pool_function, pool_size, strides, padding, data_format, name=name, **kwargs
        )


class MaxPooling2D(Pooling2D):
    """The largest value in each window of images.

    Args:
        pool_size: height and width of the window.
        strides: how far the window moves; None is its size.
        padding: "valid" for no filling at the borders, "same" to keep the size (divided by the
            stride).
        data_format: "channels_last" or "channels_first": where the channels are; None is as in
            `keras.json`.

    >>> tf.keras.layers.MaxPooling2D()(tf.ones([2, 8, 8, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        pool_size: Any = (2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(tf.nn.max_pool2d, pool_size, strides, padding, data_format, **kwargs)


class AveragePooling2D(Pooling2D):
    """The mean in each window of images.

    >>> tf.keras.layers.AveragePooling2D()(tf.ones([2, 8, 8, 3])).shape
    TensorShape([2, 4, 4, 3])
    """

    def __init__(
        self,
        pool_size: Any = (2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(tf.nn.avg_pool2d, pool_size, strides, padding, data_format, **kwargs)


class Pooling3D(Pooling):
    """What poolings in three dimensions share."""

    def __init__(
        self,
        pool_function: Any,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            3, pool_function, pool_size, strides, padding, data_format, name=name, **kwargs
        )


class MaxPooling3D(Pooling3D):
    """The largest value in each window of volumes.

    >>> tf.keras.layers.MaxPooling3D()(tf.ones([2, 4, 4, 4, 3])).shape
    TensorShape([2, 2, 2, 2, 3])
    """

    def __init__(
        self,
        pool_size: Any = (2, 2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(tf.nn.max_pool3d, pool_size, strides, padding, data_format, **kwargs)


class AveragePooling3D(Pooling3D):
    """The mean in each window of volumes.

    >>> tf.keras.layers.AveragePooling3D()(tf.ones([2, 4, 4, 4, 3])).shape
    TensorShape([2, 2, 2, 2, 3])
    """

    def __init__(
        self,
        pool_size: Any = (2, 2, 2),
        strides: Any = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(tf.nn.avg_pool3d, pool_size, strides, padding, data_format, **kwargs)


class GlobalAveragePooling1D(GlobalPooling):
    """The mean of each channel of a sequence.

    Args:
        data_format: "channels_last" or "channels_first": where the channels are; None is as in
            `keras.json`.
        keepdims: whether the reduced axes stay, with size 1.

    >>> tf.keras.layers.GlobalAveragePooling1D()(tf.ones([2, 8, 3])).shape
    TensorShape([2, 3])
    """

    def __init__(
        self, data_format: str | None = "channels_last", keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(1, data_format, keepdims, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Any:
        if mask is not None:
            axis, inputs = self._axes[0], tf.convert_to_tensor(inputs)
            mask = tf.expand_dims(tf.cast(mask, inputs.dtype), 2 if axis == 1 else 1)
            total = tf.reduce_sum(inputs * mask, axis=axis, keepdims=self.keepdims)
            return total / tf.reduce_sum(mask, axis=axis, keepdims=self.keepdims)
        return tf.reduce_mean(inputs, axis=self._axes, keepdims=self.keepdims)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None


class GlobalMaxPooling1D(GlobalPooling):
    """The largest value of each channel of a sequence.

    >>> tf.keras.layers.GlobalMaxPooling1D()(tf.ones([2, 8, 3])).shape
    TensorShape([2, 3])
    """

    def __init__(
        self, data_format: str | None = "channels_last", keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(1, data_format, keepdims, **kwargs)

    def call(self, inputs: Any) -> Any:
        return tf.reduce_max(inputs, axis=self._axes, keepdims=self.keepdims)


class GlobalAveragePooling2D(GlobalPooling):
    """The mean of each channel of images.

    Args:
        data_format: "channels_last" or "channels_first": where the channels are; None is as in
            `keras.json`.
        keepdims: whether the reduced axes stay, with size 1.

    >>> tf.keras.layers.GlobalAveragePooling2D()(tf.ones([2, 8, 8, 3])).shape
    TensorShape([2, 3])
    """

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(2, data_format, keepdims, **kwargs)

    def call(self, inputs: Any) -> Any:
        return tf.reduce_mean(inputs, axis=self._axes, keepdims=self.keepdims)


class GlobalMaxPooling2D(GlobalPooling):
    """The largest value of each channel of images.

    >>> tf.keras.layers.GlobalMaxPooling2D()(tf.ones([2, 8, 8, 3])).shape
    TensorShape([2, 3])
    """

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(2, data_format, keepdims, **kwargs)

    def call(self, inputs: Any) -> Any:
        return tf.reduce_max(inputs, axis=self._axes, keepdims=self.keepdims)


class GlobalAveragePooling3D(GlobalPooling):
    """The mean of each channel of volumes.

    >>> tf.keras.layers.GlobalAveragePooling3D()(tf.ones([2, 4, 4, 4, 3])).shape
    TensorShape([2, 3])
    """

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(3, data_format, keepdims, **kwargs)

    def call(self, inputs: Any) -> Any:
        return tf.reduce_mean(inputs, axis=self._axes, keepdims=self.keepdims)


class GlobalMaxPooling3D(GlobalPooling):
    """The largest value of each channel of volumes.

    >>> tf.keras.layers.GlobalMaxPooling3D()(tf.ones([2, 4, 4, 4, 3])).shape
    TensorShape([2, 3])
    """

    def __init__(
        self, data_format: str | None = None, keepdims: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(3, data_format, keepdims, **kwargs)

    def call(self, inputs: Any) -> Any:
        return tf.reduce_max(inputs, axis=self._axes, keepdims=self.keepdims)
