"""Batches of augmented images from files named in a pandas frame."""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np

from runnel.keras.preprocessing.file_iterators import FileIterator
from runnel.keras.preprocessing.iterators import FORMATS
from runnel.keras.utils.messages import print_message

_WITHOUT_CLASSES = ("input", "multi_output", "raw", None)


class DataFrameIterator(FileIterator):
    """Batches of the images that column `x_col` names, with the targets in `y_col`."""

    allowed_class_modes = {"binary", "categorical", "input", "multi_output", "raw", "sparse", None}

    def __init__(
        self,
        dataframe: Any,
        directory: str | None = None,
        image_data_generator: Any = None,
        x_col: str = "filename",
        y_col: Any = "class",
        weight_col: str | None = None,
        target_size: Any = (256, 256),
        color_mode: str = "rgb",
        classes: list[str] | None = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: str = "channels_last",
        save_to_dir: str | None = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        keep_aspect_ratio: bool = False,
        dtype: Any = "float32",
        validate_filenames: bool = True,
    ) -> None:
        given = image_data_generator, target_size, color_mode, data_format, save_to_dir, save_prefix
        self.set_processing_attrs(*given, save_format, subset, interpolation, keep_aspect_ratio)
        self.directory = directory or ""
        self.class_mode = class_mode
        self.dtype = dtype
        self._check(dataframe, x_col, y_col, weight_col, classes)
        frame = self._existing(dataframe, x_col) if validate_filenames else dataframe
        if class_mode not in _WITHOUT_CLASSES:
            frame, names = _with_classes(frame, y_col, classes)
            self.class_indices = {name: i for i, name in enumerate(names)}
        if self.split:
            frame = frame.iloc[int(self.split[0] * len(frame)) : int(self.split[1] * len(frame))]
        self._take(frame, x_col, y_col, weight_col)
        kind = "validated" if validate_filenames else "non-validated"
        message = f"Found {self.samples} {kind} image filenames"
        if class_mode not in _WITHOUT_CLASSES:
            message += f" belonging to {len(self.class_indices)} classes"
        print_message(message + ".")
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _take(self, frame: Any, x_col: str, y_col: Any, weight_col: str | None) -> None:
        self.filenames = frame[x_col].tolist()
        self.samples = len(self.filenames)
        self._filepaths = [os.path.join(self.directory, name) for name in self.filenames]
        self._sample_weight = frame[weight_col].values if weight_col else None
        self._targets: Any = None
        if self.class_mode == "multi_output":
            self._targets = [np.array(frame[column].tolist()) for column in y_col]
        elif self.class_mode == "raw":
            self._targets = frame[y_col].values
        elif self.class_mode not in _WITHOUT_CLASSES:
            self.classes = [self._class_numbers(label) for label in frame[y_col]]

    def _class_numbers(self, label: Any) -> Any:
        if isinstance(label, list | tuple):
            return [self.class_indices[name] for name in label]
        return self.class_indices[label]

    def _check(
        self, frame: Any, x_col: str, y_col: Any, weight_col: str | None, classes: Any
    ) -> None:
        mode = self.class_mode
        if mode not in self.allowed_class_modes:
            raise ValueError(
                f"`class_mode` must be one of {self.allowed_class_modes}, got {mode!r}."
            )
        if mode == "multi_output" and not isinstance(y_col, list):
            raise TypeError(f'With class_mode="multi_output" `y_col` is a list, got {y_col!r}.')
        _check_types(frame, x_col, str)
        if mode in ("binary", "sparse"):
            _check_types(frame, y_col, str)
        if mode == "categorical":
            _check_types(frame, y_col, (str, list, tuple))
        if mode == "binary":
            count = len(set(classes)) if classes else frame[y_col].nunique()
            if count != 2:
                raise ValueError(f'class_mode="binary" needs 2 classes, got {count}.')
        if classes and mode in _WITHOUT_CLASSES:
            warnings.warn(f"`classes` has no meaning with class_mode={mode!r}.", stacklevel=3)
        if weight_col and not issubclass(frame[weight_col].dtype.type, np.number):
            raise TypeError(f"The column {weight_col!r} of weights must be numeric.")

    def _existing(self, frame: Any, x_col: str) -> Any:
        def exists(name: str) -> bool:
            return name.lower().endswith(FORMATS) and os.path.isfile(
                os.path.join(self.directory, name)
            )

        valid = frame[x_col].map(exists).astype(bool)
        missing = int((~valid).sum())
        if missing:
            warnings.warn(
                f"Found {missing} invalid image filename(s) in x_col={x_col!r}; they are left out.",
                stacklevel=3,
            )
        return frame[valid]

    @property
    def filepaths(self) -> list[str]:  # type: ignore[override]
        """The path of each image."""
        return self._filepaths

    @property
    def labels(self) -> Any:  # type: ignore[override]
        """The target of each image."""
        return self._targets if self.class_mode in ("multi_output", "raw") else self.classes

    @property
    def sample_weight(self) -> Any:  # type: ignore[override]
        """The weight of each image."""
        return self._sample_weight


def _check_types(frame: Any, column: Any, types: Any) -> None:
    if not all(isinstance(value, types) for value in frame[column]):
        raise TypeError(f"All values in the column {column!r} must be {types}.")


def _with_classes(frame: Any, y_col: Any, classes: Any) -> tuple[Any, list[Any]]:
    """The rows that have one of the classes, and the classes."""
    if not classes:
        nested = (v if isinstance(v, list | tuple) else [v] for v in frame[y_col])
        return frame.dropna(subset=[y_col]), sorted({name for names in nested for name in names})
    names = list(dict.fromkeys(classes))

    def kept(label: Any) -> Any:
        if isinstance(label, list | tuple):
            return [name for name in label if name in names] or None
        return label if label in names else None

    frame = frame.copy()
    frame[y_col] = frame[y_col].map(kept)
    return frame.dropna(subset=[y_col]), names
