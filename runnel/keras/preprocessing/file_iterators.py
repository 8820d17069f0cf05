"""Batches of augmented images from files in folders."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator as PythonIterator
from typing import Any

import numpy as np

from runnel.keras.engine.settings import checked_data_format, floatx
from runnel.keras.preprocessing.iterators import FORMATS, Iterator, check_subset, save_batch
from runnel.keras.utils.image_files import img_to_array, load_img
from runnel.keras.utils.messages import print_message

_CHANNELS = {"rgb": 3, "rgba": 4, "grayscale": 1}


class FileIterator(Iterator):
    """Batches of the images in `filepaths`, with targets as `class_mode` says."""

    filepaths: Any
    labels: Any
    sample_weight: Any
    class_mode: str | None
    class_indices: dict[Any, int]
    classes: Any
    dtype: Any

    def set_processing_attrs(
        self,
        image_data_generator: Any,
        target_size: Any,
        color_mode: str,
        data_format: str,
        save_to_dir: str | None,
        save_prefix: str,
        save_format: str,
        subset: str | None,
        interpolation: str,
        keep_aspect_ratio: bool,
    ) -> None:
        """Say how an image is read, changed and saved."""
        if color_mode not in _CHANNELS:
            raise ValueError(f"`color_mode` must be one of {tuple(_CHANNELS)}, got {color_mode!r}.")
        check_subset(subset)
        self.image_data_generator = image_data_generator
        self.target_size = tuple(target_size)
        self.keep_aspect_ratio = keep_aspect_ratio
        self.color_mode = color_mode
        self.data_format = data_format
        channels = (_CHANNELS[color_mode],)
        last = data_format == "channels_last"
        self.image_shape = self.target_size + channels if last else channels + self.target_size
        self.save_to_dir = save_to_dir
        self.save_prefix = save_prefix
        self.save_format = save_format
        self.interpolation = interpolation
        self.subset = subset
        self.split: tuple[float, float] | None = None
        if subset is not None:
            cut = image_data_generator._validation_split
            self.split = (0, cut) if subset == "validation" else (cut, 1)

    def _get_batches_of_transformed_samples(self, index_array: np.ndarray) -> Any:
        batch = np.zeros((len(index_array), *self.image_shape), dtype=self.dtype)
        for i, j in enumerate(index_array):
            batch[i] = self._image(self.filepaths[j])
        if self.save_to_dir:
            save_batch(self, batch, index_array, 10_000_000)
        targets = self._targets_of(batch, index_array)
        if targets is None:
            return batch
        if self.sample_weight is None:
            return batch, targets
        return batch, targets, self.sample_weight[index_array]

    def _image(self, path: str) -> np.ndarray:
        picture = load_img(
            path,
            color_mode=self.color_mode,
            target_size=self.target_size,
            interpolation=self.interpolation,
            keep_aspect_ratio=self.keep_aspect_ratio,
        )
        image = img_to_array(picture, data_format=self.data_format)
        picture.close()
        generator = self.image_data_generator
        if not generator:
            return image
        change = generator.get_random_transform(image.shape)
        standardized: np.ndarray = generator.standardize(generator.apply_transform(image, change))
        return standardized

    def _targets_of(self, batch: np.ndarray, index_array: np.ndarray) -> Any:
        if self.class_mode == "input":
            return batch.copy()
        if self.class_mode in ("binary", "sparse"):
            return np.array([self.classes[i] for i in index_array], dtype=self.dtype)
        if self.class_mode == "categorical":
            rows = np.zeros((len(batch), len(self.class_indices)), dtype=self.dtype)
            for row, i in zip(rows, index_array):
                row[self.classes[i]] = 1.0
            return rows
        if self.class_mode == "multi_output":
            return [output[index_array] for output in self.labels]
        if self.class_mode == "raw":
            return self.labels[index_array]
        return None


class DirectoryIterator(FileIterator):
    """Batches of the images below a folder, each subfolder a class."""

    allowed_class_modes = {"categorical", "binary", "sparse", "input", None}

    def __init__(
        self,
        directory: Any,
        image_data_generator: Any,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: list[str] | None = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: Any = None,
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
        dtype: Any = None,
    ) -> None:
        self.set_processing_attrs(
            image_data_generator,
            target_size,
            color_mode,
            checked_data_format(data_format),
            save_to_dir,
            save_prefix,
            save_format,
            subset,
            interpolation,
            keep_aspect_ratio,
        )
        if class_mode not in self.allowed_class_modes:
            raise ValueError(
                f"`class_mode` must be one of {self.allowed_class_modes}, got {class_mode!r}."
            )
        self.directory = os.fspath(directory)
        self.class_mode = class_mode
        self.dtype = dtype or floatx()
        names = classes or sorted(entry.name for entry in os.scandir(directory) if entry.is_dir())
        self.num_classes = len(names)
        self.class_indices = {name: i for i, name in enumerate(names)}
        found = [(i, f) for i, name in enumerate(names) for f in self._files(name, follow_links)]
        self.filenames = [file for _, file in found]
        self.samples = len(found)
        self.classes = np.array([i for i, _ in found], dtype="int32")
        self._filepaths = [os.path.join(directory, name) for name in self.filenames]
        print_message(f"Found {self.samples} images belonging to {self.num_classes} classes.")
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _files(self, name: str, follow_links: bool) -> list[str]:
        """The images of a class, relative to the directory; the part of them that is wanted."""
        folder = os.path.join(self.directory, name)
        base = os.path.basename(folder)
        files = list(_image_files(folder, follow_links))
        if self.split:
            files = files[int(self.split[0] * len(files)) : int(self.split[1] * len(files))]
        return [os.path.join(base, os.path.relpath(file, folder)) for file in files]

    @property
    def filepaths(self) -> list[str]:  # type: ignore[override]
        """The path of each image."""
        return self._filepaths

    @property
    def labels(self) -> np.ndarray:  # type: ignore[override]
        """The class of each image."""
        return self.classes

    @property
    def sample_weight(self) -> None:  # type: ignore[override]
        """Files in folders carry no weights."""


def _image_files(folder: str, follow_links: bool) -> PythonIterator[str]:
    for root, _, files in sorted(os.walk(folder, followlinks=follow_links)):
        for name in sorted(files):
            if name.lower().endswith(".tiff"):
                warnings.warn("TIFF files with several bands are distorted.", stacklevel=2)
            if name.lower().endswith(FORMATS):
                yield os.path.join(root, name)
