"""Text files in folders as a dataset."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.utils.datasets.directory_index import DirectoryData


def text_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: Any = None,
    batch_size: int | None = 32,
    max_length: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    follow_links: bool = False,
) -> Any:
    """Batches of the contents of .txt files, with the numbers of their subfolders.

    The dataset has the attribute `class_names`.
    """
    data = DirectoryData(
        directory,
        labels,
        label_mode,
        class_names,
        batch_size,
        shuffle,
        seed,
        validation_split,
        subset,
        follow_links,
        (".txt",),
        "text files",
    )

    def load(path: tf.Tensor) -> tf.Tensor:
        text = tf.io.read_file(path)
        return text if max_length is None else tf.strings.substr(text, 0, max_length)

    def texts(paths: list[str]) -> Any:
        names = tf.data.Dataset.from_tensor_slices(paths)
        return names.map(load, num_parallel_calls=tf.data.AUTOTUNE)

    return data.datasets(texts, lambda dataset, size: dataset.batch(size))
