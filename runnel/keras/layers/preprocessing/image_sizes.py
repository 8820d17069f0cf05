"""Layers that change the size of images."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.layers.preprocessing.category_output import as_tensor
from runnel.keras.layers.preprocessing.random_layer import BaseRandomLayer
from runnel.keras.utils.datasets.image_resizing import get_interpolation, smart_resize

HEIGHT, WIDTH = -3, -2  # axes of an image or a batch of them


def as_images(inputs: Any, dtype: Any = None) -> Any:
    """The inputs as a tensor of a dtype."""
    if isinstance(inputs, dict):
        raise ValueError(
            f"This layer takes an image or a batch of images, got a {type(inputs).__name__}. Take "
            "the images out of the dictionary first."
        )
    return as_tensor(inputs, dtype)


def _with_size(shape: Any, height: int | None, width: int | None) -> tf.TensorShape:
    dims = tf.TensorShape(shape).as_list()
    dims[HEIGHT], dims[WIDTH] = height, width
    return tf.TensorShape(dims)


class Resizing(Layer):
    """Images of one size.

    Args:
        height, width: the size of the result.
        interpolation: "nearest", "bilinear" or another method of `tf.image.resize`.
        crop_to_aspect_ratio: whether images are cut to the shape before.

    >>> tf.keras.layers.Resizing(2, 3)(tf.ones((1, 8, 8, 1))).shape
    TensorShape([1, 2, 3, 1])
    """

    def __init__(
        self,
        height: int,
        width: int,
        interpolation: str = "bilinear",
        crop_to_aspect_ratio: bool = False,
        **kwargs: Any,
    ) -> None:
        self.height = height
        self.width = width
        self.interpolation = interpolation
        self.crop_to_aspect_ratio = crop_to_aspect_ratio
        self._interpolation_method = get_interpolation(interpolation)
        super().__init__(**kwargs)

    def call(self, inputs: Any) -> Any:
        kind = self.compute_dtype if self.interpolation == "nearest" else tf.float32
        images = as_images(inputs, kind)
        size = [self.height, self.width]
        if not self.crop_to_aspect_ratio:
            resized = tf.image.resize(images, size=size, method=self._interpolation_method)
        elif isinstance(images, tf.RaggedTensor):
            spec = tf.TensorSpec([*size, images.shape[-1]], kind)
            resized = tf.map_fn(self._cropped, images, fn_output_signature=spec)
        else:
            resized = self._cropped(images)
        return tf.cast(resized, self.compute_dtype)

    def _cropped(self, images: Any) -> Any:
        if isinstance(images, tf.RaggedTensor):
            images = images.to_tensor()
        return smart_resize(images, [self.height, self.width], self._interpolation_method)

    def compute_output_shape(self, input_shape: Any) -> tf.TensorShape:
        return _with_size(input_shape, self.height, self.width)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "height": self.height,
            "width": self.width,
            "interpolation": self.interpolation,
            "crop_to_aspect_ratio": self.crop_to_aspect_ratio,
        }


class CenterCrop(Layer):
    """The middle of images; smaller ones are enlarged.

    >>> tf.keras.layers.CenterCrop(2, 2)(tf.ones((4, 4, 1))).shape
    TensorShape([2, 2, 1])
    """

    def __init__(self, height: int, width: int, **kwargs: Any) -> None:
        self.height = height
        self.width = width
        super().__init__(**kwargs, autocast=False)

    def call(self, inputs: Any) -> Any:
        images = as_images(inputs, self.compute_dtype)
        shape = tf.shape(images)
        rows, columns = shape[HEIGHT] - self.height, shape[WIDTH] - self.width

        def crop() -> Any:
            top, left = tf.cast(rows / 2, tf.int32), tf.cast(columns / 2, tf.int32)
            return tf.image.crop_to_bounding_box(images, top, left, self.height, self.width)

        def enlarge() -> Any:
            resized = smart_resize(images, [self.height, self.width])
            return tf.cast(resized, self.compute_dtype)

        return tf.cond(tf.reduce_all((rows >= 0, columns >= 0)), crop, enlarge)

    def compute_output_shape(self, input_shape: Any) -> tf.TensorShape:
        return _with_size(input_shape, self.height, self.width)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {"height": self.height, "width": self.width}


class RandomCrop(BaseRandomLayer):
    """A part of the images at a random place; outside of training they are resized.

    >>> tf.keras.layers.RandomCrop(2, 2)(tf.ones((4, 4, 1)), training=True).shape
    TensorShape([2, 2, 1])
    """

    def __init__(self, height: int, width: int, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs, autocast=False, seed=seed)
        self.height = height
        self.width = width
        self.seed = seed

    def call(self, inputs: Any, training: Any = True) -> Any:
        images = as_images(inputs, self.compute_dtype)
        shape = tf.shape(images)
        rows, columns = shape[HEIGHT] - self.height, shape[WIDTH] - self.width

        def crop() -> Any:
            drawn = self._random_generator.random_uniform([2], 0, tf.int32.max, tf.int32)
            top, left = drawn[0] % (rows + 1), drawn[1] % (columns + 1)
            return tf.image.crop_to_bounding_box(images, top, left, self.height, self.width)

        def resize() -> Any:
            resized = smart_resize(images, [self.height, self.width])
            return tf.cast(resized, self.compute_dtype)

        return tf.cond(tf.reduce_all((training, rows >= 0, columns >= 0)), crop, resize)

    def compute_output_shape(self, input_shape: Any) -> tf.TensorShape:
        return _with_size(input_shape, self.height, self.width)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "height": self.height,
            "width": self.width,
            "seed": self.seed,
        }


class _RandomSide(BaseRandomLayer):
    """Images stretched along one axis."""

    _axis: int

    def __init__(
        self, factor: Any, interpolation: str = "bilinear", seed: int | None = None, **kwargs: Any
    ) -> None:
        super().__init__(seed=seed, **kwargs)
        self.factor = factor
        pair = isinstance(factor, tuple | list)
        self._lower, self._upper = (factor[0], factor[1]) if pair else (-factor, factor)
        if self._upper < self._lower:
            raise ValueError(f"`factor` must be (lower, upper) in this order, got {factor}.")
        if self._lower < -1.0 or self._upper < -1.0:
            raise ValueError(f"`factor` must be larger than -1, got {factor}.")
        self.interpolation = interpolation
        self._interpolation_method = get_interpolation(interpolation)
        self.seed = seed

    def call(self, inputs: Any, training: Any = True) -> Any:
        images = as_images(inputs)
        return self._stretched(images) if training else images

    def _stretched(self, images: Any) -> Any:
        shape = tf.shape(images)
        sides = {HEIGHT: shape[HEIGHT], WIDTH: shape[WIDTH]}
        factor = self._random_generator.random_uniform(
            shape=[], minval=1.0 + self._lower, maxval=1.0 + self._upper
        )
        sides[self._axis] = tf.cast(factor * tf.cast(sides[self._axis], tf.float32), tf.int32)
        size = tf.stack([sides[HEIGHT], sides[WIDTH]])
        resized = tf.image.resize(images, size=size, method=self._interpolation_method)
        resized = tf.cast(resized, self.compute_dtype)
        resized.set_shape(self.compute_output_shape(images.shape))
        return resized

    def compute_output_shape(self, input_shape: Any) -> tf.TensorShape:
        dims = tf.TensorShape(input_shape).as_list()
        dims[self._axis] = None
        return tf.TensorShape(dims)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "factor": self.factor,
            "interpolation": self.interpolation,
            "seed": self.seed,
        }


class RandomHeight(_RandomSide):
    """Images of a height that varies by up to `factor` of it."""

    _axis = HEIGHT

    @property
    def height_lower(self) -> float:
        return self._lower

    @property
    def height_upper(self) -> float:
        return self._upper


class RandomWidth(_RandomSide):
    """Images of a width that varies by up to `factor` of it."""

    _axis = WIDTH

    @property
    def width_lower(self) -> float:
        return self._lower

    @property
    def width_upper(self) -> float:
        return self._upper
