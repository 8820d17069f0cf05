"""Images in folders as a dataset."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.utils.datasets.directory_index import DirectoryData
from runnel.keras.utils.datasets.image_resizing import get_interpolation, smart_resize

_FORMATS = (".bmp", ".gif", ".jpeg", ".jpg", ".png")
_CHANNELS = {"rgb": 3, "rgba": 4, "grayscale": 1}


def image_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: Any = None,
    color_mode: str = "rgb",
    batch_size: int | None = 32,
    image_size: Any = (256, 256),
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    interpolation: str = "bilinear",
    follow_links: bool = False,
    crop_to_aspect_ratio: bool = False,
    **kwargs: Any,
) -> Any:
    """Batches of images, resized to `image_size`, with the numbers of their subfolders.

    The dataset has the attributes `class_names` and `file_paths`.
    """
    crop = kwargs.pop("smart_resize", crop_to_aspect_ratio)
    if kwargs:
        raise TypeError(f"Unknown keywords argument(s): {tuple(kwargs)}")
    if color_mode not in _CHANNELS:
        raise ValueError(f"`color_mode` must be one of {tuple(_CHANNELS)}, got {color_mode!r}.")
    method = get_interpolation(interpolation)
    given = directory, labels, label_mode, class_names, batch_size, shuffle
    data = DirectoryData(*given, seed, validation_split, subset, follow_links, _FORMATS, "images")

    def load(path: tf.Tensor) -> tf.Tensor:
        return _image(path, image_size, _CHANNELS[color_mode], method, crop)

    def images(paths: list[str]) -> Any:
        names = tf.data.Dataset.from_tensor_slices(paths)
        return names.map(load, num_parallel_calls=tf.data.AUTOTUNE)

    return data.datasets(images, lambda dataset, size: dataset.batch(size))


def _image(path: tf.Tensor, size: Any, channels: int, method: str, crop: bool) -> tf.Tensor:
    content = tf.io.read_file(path)
    image = tf.image.decode_image(content, channels=channels, expand_animations=False)
    resize = smart_resize(image, size, method) if crop else tf.image.resize(image, size, method)
    resize.set_shape((size[0], size[1], channels))
    return resize
