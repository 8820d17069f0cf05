"""Sound files in folders as a dataset."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.utils.datasets.directory_index import DirectoryData


def audio_dataset_from_directory(
    directory: Any,
    labels: Any = "inferred",
    label_mode: str | None = "int",
    class_names: Any = None,
    batch_size: int | None = 32,
    sampling_rate: int | None = None,
    output_sequence_length: int | None = None,
    ragged: bool = False,
    shuffle: bool = True,
    seed: int | None = None,
    validation_split: float | None = None,
    subset: str | None = None,
    follow_links: bool = False,
) -> Any:
    """Batches of .wav files, padded to one length (or ragged), with the numbers of their folders.

    The dataset has the attribute `class_names`.
    """
    if ragged and output_sequence_length is not None:
        raise ValueError("`ragged` and `output_sequence_length` exclude each other.")
    _check_rate(sampling_rate)
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
        (".wav",),
        "audio files",
    )

    def load(path: tf.Tensor) -> Any:
        length = -1 if output_sequence_length is None else output_sequence_length
        audio, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_samples=length)
        return tf.RaggedTensor.from_tensor(audio) if ragged else audio

    def sounds(paths: list[str]) -> Any:
        names = tf.data.Dataset.from_tensor_slices(paths)
        return names.map(load, num_parallel_calls=tf.data.AUTOTUNE)

    def batch(dataset: Any, size: int) -> Any:
        if ragged or output_sequence_length is not None:
            return dataset.batch(size)
        return dataset.padded_batch(size)

    found = data.datasets(sounds, batch)
    return tuple(found) if isinstance(found, list) else found


def _check_rate(sampling_rate: Any) -> None:
    if sampling_rate is None:
        return
    if not isinstance(sampling_rate, int) or sampling_rate <= 0:
        raise ValueError(f"`sampling_rate` must be a positive integer, got {sampling_rate!r}.")
    raise ImportError(
        "`sampling_rate` needs tensorflow_io, which does not work here: resample the files "
        "beforehand."
    )
