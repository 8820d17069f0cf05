"""Batches of augmented images from arrays."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from runnel.keras.engine.settings import checked_data_format, floatx
from runnel.keras.preprocessing.iterators import Iterator, check_subset, save_batch


class NumpyArrayIterator(Iterator):
    """Batches `(x, y)` of images in an array, changed by an `ImageDataGenerator`."""

    def __init__(
        self,
        x: Any,
        y: Any,
        image_data_generator: Any,
        batch_size: int = 32,
        shuffle: bool = False,
        sample_weight: Any = None,
        seed: int | None = None,
        data_format: Any = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        ignore_class_split: bool = False,
        dtype: Any = None,
    ) -> None:
        self.dtype = dtype or floatx()
        self.data_format = checked_data_format(data_format)
        self.image_data_generator = image_data_generator
        self.save_to_dir = save_to_dir
        self.save_prefix = save_prefix
        self.save_format = save_format
        images, others = _images_and_others(x)
        _check_lengths(images, y, sample_weight)
        if subset is not None:
            check_subset(subset)
            cut = int(len(images) * image_data_generator._validation_split)
            if y is not None and not ignore_class_split:
                _check_classes(y, cut)
            part = slice(cut) if subset == "validation" else slice(cut, None)
            images, others = images[part], [other[part] for other in others]
            y = None if y is None else y[part]
        self.x = np.asarray(images, dtype=self.dtype)
        self.x_misc = others
        self.y = None if y is None else np.asarray(y)
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        self._check_images()
        super().__init__(self.x.shape[0], batch_size, shuffle, seed)

    def _check_images(self) -> None:
        if self.x.ndim != 4:
            raise ValueError(
                f"The images must be an array of rank 4, got the shape {self.x.shape}."
            )
        axis = 3 if self.data_format == "channels_last" else 1
        if self.x.shape[axis] not in (1, 3, 4):
            warnings.warn(
                f'With the data format "{self.data_format}" axis {axis} should hold 1, 3 or 4 '
                f"channels, but the images have the shape {self.x.shape}.",
                stacklevel=3,
            )

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        batch = np.zeros((len(index_array), *self.x.shape[1:]), dtype=self.dtype)
        generator = self.image_data_generator
        for i, j in enumerate(index_array):
            change = generator.get_random_transform(self.x[j].shape)
            image = generator.apply_transform(self.x[j].astype(self.dtype), change)
            batch[i] = generator.standardize(image)
        if self.save_to_dir:
            save_batch(self, batch, index_array, 10_000)
        others = [other[index_array] for other in self.x_misc]
        inputs = [batch, *others] if others else batch
        if self.y is None:
            return inputs
        if self.sample_weight is None:
            return inputs, self.y[index_array]
        return inputs, self.y[index_array], self.sample_weight[index_array]


def _images_and_others(x: Any) -> tuple[Any, list[np.ndarray]]:
    """The images, and the further inputs of `(images, others)`."""
    if not isinstance(x, tuple | list):
        return x, []
    if len(x) < 2:
        raise ValueError(f"`x` is the images, or (images, others), got {len(x)} elements.")
    others = [np.asarray(other) for other in (x[1] if isinstance(x[1], list) else [x[1]])]
    for other in others:
        if len(other) != len(x[0]):
            raise ValueError(
                f"All arrays in `x` must have the same length, got {len(x[0])} and {len(other)}."
            )
    return x[0], others


def _check_lengths(images: Any, y: Any, sample_weight: Any) -> None:
    for name, values in (("y", y), ("sample_weight", sample_weight)):
        if values is not None and len(images) != len(values):
            raise ValueError(
                f"`x` and `{name}` must have the same length, got the shapes "
                f"{np.shape(images)} and {np.shape(values)}."
            )


def _check_classes(y: Any, cut: int) -> None:
    if not np.array_equal(np.unique(y[:cut]), np.unique(y[cut:])):
        raise ValueError(
            "The training and the validation part have different classes. Shuffle the arrays if "
            "they are sorted by class, or use ignore_class_split=True."
        )
