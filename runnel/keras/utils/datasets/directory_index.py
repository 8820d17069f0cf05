"""Files below a folder as data: which there are, their classes, training and validation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.utils.messages import print_message

_LABEL_MODES = ("int", "categorical", "binary", None)
_SUBSETS = ("training", "validation", "both", None)


@dataclass
class DirectoryData:
    """What the three `*_dataset_from_directory` have in common, and how they batch."""

    directory: Any
    labels: Any
    label_mode: str | None
    class_names: Any
    batch_size: int | None
    shuffle: bool
    seed: int | None
    validation_split: float | None
    subset: str | None
    follow_links: bool
    formats: tuple[str, ...]
    what: str  # "images", "text files" …

    def datasets(self, make: Callable[[list[str]], Any], batch: Callable[[Any, int], Any]) -> Any:
        """The dataset, or both with `subset="both"`; `make` turns paths into elements."""
        self._check()
        if self.labels is None or self.label_mode is None:
            self.labels = self.label_mode = None
        if self.seed is None:
            self.seed = np.random.randint(1_000_000)
        paths, labels = self._listed()
        if self.label_mode == "binary" and len(self.class_names) != 2:
            raise ValueError(
                f'With label_mode="binary" there must be exactly 2 classes, got {self.class_names}.'
            )
        if self.subset != "both":
            return self._part(paths, labels, self.subset, make, batch, self.shuffle)
        training = self._part(paths, labels, "training", make, batch, self.shuffle)
        return [training, self._part(paths, labels, "validation", make, batch, False)]

    def _part(
        self, paths: Any, labels: Any, subset: Any, make: Any, batch: Any, shuffle: bool
    ) -> Any:
        paths, labels = self._split(paths, labels, subset)
        if not paths:
            kind = f"{subset} {self.what}" if self.subset == "both" else self.what
            raise ValueError(
                f"No {kind} found in directory {self.directory}. Allowed formats: {self.formats}"
            )
        dataset = make(paths)
        if self.label_mode:
            classes = _label_dataset(labels, self.label_mode, len(self.class_names))
            dataset = tf.data.Dataset.zip((dataset, classes))
        if shuffle:
            # A buffer of eight batches: enough for files that were shuffled already.
            size = self.batch_size * 8 if self.batch_size is not None else 1024
            dataset = dataset.shuffle(buffer_size=size, seed=self.seed)
        if self.batch_size is not None:
            dataset = batch(dataset, self.batch_size)
        dataset = dataset.prefetch(tf.data.AUTOTUNE)
        dataset.class_names = self.class_names
        dataset.file_paths = paths
        return dataset

    def _check(self) -> None:
        if self.labels not in ("inferred", None):
            if not isinstance(self.labels, list | tuple):
                raise ValueError(
                    '`labels` must be "inferred" (from the names of subfolders), None, or a list '
                    f"of integers, one for each file. Received: {self.labels}"
                )
            if self.class_names:
                raise ValueError(
                    '`class_names` can only be given with labels="inferred". Received: '
                    f"class_names={self.class_names}"
                )
        if self.label_mode not in _LABEL_MODES:
            raise ValueError(f"`label_mode` must be one of {_LABEL_MODES}, got {self.label_mode}.")
        split = self.validation_split
        if split and not 0 < split < 1:
            raise ValueError(f"`validation_split` must be between 0 and 1, received: {split}")
        if bool(split) != bool(self.subset):
            raise ValueError("`subset` and `validation_split` must be given together.")
        if self.subset not in _SUBSETS:
            raise ValueError(f"`subset` must be one of {_SUBSETS}, received: {self.subset}")
        if split and self.shuffle and self.seed is None:
            raise ValueError(
                "With `validation_split` and shuffling a `seed` is needed, or files of the "
                "training part come back in the validation part."
            )

    def _listed(self) -> tuple[list[str], Any]:
        """The paths and their labels, shuffled alike."""
        names = [""]
        if self.labels == "inferred":
            names = _subfolders(self.directory)
            if self.class_names and set(self.class_names) != set(names):
                raise ValueError(
                    f"`class_names` must be the names of the subfolders, {names}, got "
                    f"{self.class_names}."
                )
        classes = list(self.class_names or names) if self.labels == "inferred" else names
        found = [
            (path, classes.index(name))
            for name in names
            for path in _files(os.path.join(self.directory, name), self.formats, self.follow_links)
        ]
        paths = [path for path, _ in found]
        if self.labels in ("inferred", None):
            labels: Any = np.array([label for _, label in found], dtype="int32")
        else:
            labels = self.labels
            if len(labels) != len(paths):
                raise ValueError(
                    f"`labels` must have one label for each of the {len(paths)} files in "
                    f"{self.directory}, got {len(labels)}."
                )
            classes = sorted(set(labels))
        self.class_names = classes
        print_message(f"Found {len(paths)} files belonging to {len(classes)} classes.")
        if self.shuffle:
            for values in (paths, labels):
                np.random.RandomState(self.seed).shuffle(values)
        return paths, labels

    def _split(self, paths: Any, labels: Any, subset: str | None) -> tuple[Any, Any]:
        if not self.validation_split:
            return paths, labels
        held_out = int(self.validation_split * len(paths))
        cut = len(paths) - held_out
        count, part = (cut, slice(cut)) if subset == "training" else (held_out, slice(cut, None))
        print_message(f"Using {count} files for {subset}.")
        return paths[part], labels[part]


def _subfolders(directory: Any) -> list[str]:
    names = (name.removesuffix("/") for name in sorted(tf.io.gfile.listdir(directory)))
    return [n for n in names if not n.startswith(".") and _is_folder(directory, n)]


def _is_folder(directory: Any, name: str) -> bool:
    return bool(tf.io.gfile.isdir(os.path.join(directory, name)))


def _files(folder: str, formats: tuple[str, ...], follow_links: bool) -> Iterator[str]:
    walk: Any = os.walk(folder, followlinks=True) if follow_links else tf.io.gfile.walk(folder)
    for root, _, files in sorted(walk, key=lambda entry: entry[0]):
        for name in sorted(files):
            if name.lower().endswith(formats):
                yield os.path.join(folder, os.path.relpath(os.path.join(root, name), folder))


def _label_dataset(labels: Any, label_mode: str, classes: int) -> Any:
    dataset = tf.data.Dataset.from_tensor_slices(labels)
    if label_mode == "binary":
        return dataset.map(lambda label: tf.expand_dims(tf.cast(label, "float32"), axis=-1))
    if label_mode == "categorical":
        return dataset.map(lambda label: tf.one_hot(label, classes))
    return dataset
