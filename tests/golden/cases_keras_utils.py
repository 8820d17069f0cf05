"""Programs with `tf.keras.utils`: arrays, pictures, datasets from files."""

from __future__ import annotations

import contextlib
import io
import os
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np


def categories(tf: Any) -> Any:
    u = tf.keras.utils
    return [
        u.to_categorical([0, 2, 1]),
        u.to_categorical([[0], [2]], num_classes=4, dtype="int32"),
        u.to_categorical([[0, 1], [2, 0]]),
        u.to_categorical(2, 3),
        u.to_ordinal([0, 2, 1]),
        u.to_ordinal([[1], [3]], num_classes=5, dtype="int64"),
    ]


def categories_out_of_range(tf: Any) -> Any:
    return tf.keras.utils.to_categorical([5], num_classes=3)


def normalized(tf: Any) -> Any:
    x = np.arange(12.0).reshape(3, 4)
    u = tf.keras.utils
    return [u.normalize(x), u.normalize(x, axis=0, order=1), u.normalize(np.array([3.0, 4.0]))]


def padded(tf: Any) -> Any:
    pad = tf.keras.utils.pad_sequences
    rows = [[1], [2, 3], [], [4, 5, 6]]
    return [
        pad(rows),
        pad(rows, maxlen=2),
        pad(rows, maxlen=2, truncating="post", padding="post", value=-1),
        pad([[[1, 2]], [[3, 4], [5, 6]]], dtype="float32"),
        pad(rows, maxlen=5, dtype="float64", value=0.5),
        pad([["a"], ["b", "c"]], dtype=object, value="").tolist(),
    ]


def padding_of_numbers(tf: Any) -> Any:
    return tf.keras.utils.pad_sequences([1, 2])


def padding_on_an_unknown_side(tf: Any) -> Any:
    return tf.keras.utils.pad_sequences([[1]], padding="left")


def padding_with_other_shapes(tf: Any) -> Any:
    return tf.keras.utils.pad_sequences([[[1]], [[1, 2]]])


def padding_with_strings(tf: Any) -> Any:
    return tf.keras.utils.pad_sequences([["a"]], value="x")


def packed(tf: Any) -> Any:
    pack, unpack = tf.keras.utils.pack_x_y_sample_weight, tf.keras.utils.unpack_x_y_sample_weight
    return [
        pack(1),
        pack((1, 2)),
        pack([1, 2]),
        pack(1, 2),
        pack(1, 2, 3),
        pack(1, None, 3),
        unpack(1),
        unpack([1]),
        unpack((1, 2)),
        unpack((1, 2, 3)),
    ]


def unpacking_too_many(tf: Any) -> Any:
    return tf.keras.utils.unpack_x_y_sample_weight((1, 2, 3, 4))


def progress(tf: Any) -> Any:
    """What the bar prints, the times left out."""
    import re

    out = io.StringIO()
    out.isatty = lambda: True  # type: ignore[method-assign]
    with contextlib.redirect_stdout(out):
        for target, verbose, unit in ((12, 1, "step"), (None, 1, "sample"), (3, 2, "step")):
            bar = tf.keras.utils.Progbar(
                target,
                width=10,
                verbose=verbose,
                interval=0,
                unit_name=unit,
                stateful_metrics=["acc"],
            )
            for i in range(1, (target or 5) + 1):
                bar.update(i, [("loss", i / 2), ("acc", i / 100), ("small", 1e-5 * i)])
            bar.update(target or 5, [("loss", 0.0)], finalize=True)
            bar = tf.keras.utils.Progbar(4, verbose=verbose, interval=0)
            bar.add(2, [("x", -0.5)])
            bar.add(2, [("x", np.float32(0.25))])
    # How many times it goes back, and what it wipes out, depends on the width of the times.
    printed = re.sub(r"\d+(us|ms|s)\b", "0s", out.getvalue())
    return re.sub(" *\x08+", "<", re.sub(" +(?=\n)", "", printed))


def pictures(tf: Any) -> Any:
    u = tf.keras.utils
    color = np.arange(2 * 3 * 3.0).reshape(2, 3, 3)
    gray = np.arange(6.0).reshape(2, 3, 1) * 100
    found = []
    for x, scale in ((color, True), (color, False), (gray, True), (gray, False)):
        image = u.array_to_img(x, scale=scale)
        found.append([image.mode, list(image.size), u.img_to_array(image)])
    image = u.array_to_img(np.moveaxis(color, -1, 0), data_format="channels_first")
    found.append(u.img_to_array(image, data_format="channels_first", dtype="int32"))
    return found


def picture_of_rank_two(tf: Any) -> Any:
    return tf.keras.utils.array_to_img(np.zeros((2, 2)))


def picture_of_five_channels(tf: Any) -> Any:
    return tf.keras.utils.array_to_img(np.zeros((2, 2, 5)))


def pictures_on_disk(tf: Any) -> Any:
    u = tf.keras.utils
    rng = np.random.RandomState(0)
    image = rng.randint(0, 256, (8, 12, 3)).astype("float32")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.png")
        u.save_img(path, image, scale=False)
        for options in (
            {},
            {"color_mode": "grayscale"},
            {"color_mode": "rgba", "target_size": (4, 6)},
            {"target_size": (5, 5), "interpolation": "bilinear"},
            {"target_size": (4, 4), "interpolation": "bicubic", "keep_aspect_ratio": True},
        ):
            found.append(u.img_to_array(u.load_img(path, **options)))
            found.append(u.img_to_array(u.load_img(Path(path), **options)).sum())
    return found


def picture_of_an_unknown_mode(tf: Any) -> Any:
    return tf.keras.utils.load_img(io.BytesIO(b""), color_mode="cmyk")


def resizing_without_distortion(tf: Any) -> Any:
    image = np.arange(6 * 8 * 1.0).reshape(6, 8, 1).astype("float32")
    resize = tf.keras.preprocessing.image.smart_resize
    return [
        resize(image, (3, 3)),
        resize(image[None], (2, 6), interpolation="nearest"),
        resize(tf.constant(image), (4, 2)),
    ]


def _folder(folder: str) -> None:
    rng = np.random.RandomState(1)
    from PIL import Image

    for name, count in (("cats", 4), ("dogs", 3)):
        os.makedirs(os.path.join(folder, name, "more"))
        for i in range(count):
            pixels = rng.randint(0, 256, (6, 5, 3)).astype("uint8")
            place = os.path.join(folder, name, "more") if i == 2 else os.path.join(folder, name)
            Image.fromarray(pixels).save(os.path.join(place, f"{i}.png"))
            with open(os.path.join(place, f"{i}.txt"), "w") as file:
                file.write(f"{name} number {i}")


def _elements(dataset: Any) -> list[Any]:
    return [list(e) if isinstance(e, tuple) else e for e in dataset]


def images_in_folders(tf: Any) -> Any:
    read = tf.keras.utils.image_dataset_from_directory
    with tempfile.TemporaryDirectory() as folder:
        _folder(folder)
        plain = read(folder, image_size=(4, 4), batch_size=4, shuffle=False)
        gray = read(
            folder,
            image_size=(3, 6),
            color_mode="grayscale",
            label_mode="categorical",
            batch_size=None,
            shuffle=False,
            crop_to_aspect_ratio=True,
            class_names=["dogs", "cats"],
        )
        both = read(
            folder,
            image_size=(2, 2),
            validation_split=0.3,
            subset="both",
            seed=5,
            label_mode="binary",
        )
        bare = read(folder, labels=None, image_size=(2, 2), shuffle=False, interpolation="nearest")
        return [
            _elements(plain),
            plain.class_names,
            [os.path.relpath(path, folder) for path in plain.file_paths],
            _elements(gray)[::3],
            gray.class_names,
            [sorted(float(y[0]) for _, ys in part for y in ys) for part in both],
            [[os.path.relpath(path, folder) for path in part.file_paths] for part in both],
            _elements(bare),
        ]


def texts_in_folders(tf: Any) -> Any:
    read = tf.keras.utils.text_dataset_from_directory
    with tempfile.TemporaryDirectory() as folder:
        _folder(folder)
        plain = read(folder, batch_size=3, shuffle=False)
        cut = read(folder, batch_size=None, shuffle=False, max_length=6, label_mode=None)
        given = read(folder, labels=[3, 1, 2, 1, 1, 2, 3], batch_size=7, shuffle=False)
        part = read(folder, validation_split=0.5, subset="validation", seed=3, batch_size=1)
        return [
            [[[t.decode() for t in texts.numpy()], labels] for texts, labels in plain],
            [text.numpy().decode() for text in cut],
            [[[t.decode() for t in texts.numpy()], labels] for texts, labels in given],
            given.class_names,
            sorted(texts.numpy()[0].decode() for texts, _ in part),
        ]


def a_split_without_a_seed(tf: Any) -> Any:
    return tf.keras.utils.text_dataset_from_directory(".", validation_split=0.5, subset="training")


def a_split_without_a_subset(tf: Any) -> Any:
    return tf.keras.utils.text_dataset_from_directory(".", validation_split=0.5, seed=1)


def a_folder_without_files(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return tf.keras.utils.image_dataset_from_directory(folder)


def an_unknown_label_mode(tf: Any) -> Any:
    return tf.keras.utils.image_dataset_from_directory(".", label_mode="float")


def sounds_in_folders(tf: Any) -> Any:
    read = tf.keras.utils.audio_dataset_from_directory
    with tempfile.TemporaryDirectory() as folder:
        for i, name in enumerate(("a", "b")):
            os.makedirs(os.path.join(folder, name))
            sound = tf.constant(np.linspace(-0.5, 0.5, 4 + i).astype("float32")[:, None])
            with open(os.path.join(folder, name, "x.wav"), "wb") as file:
                file.write(tf.audio.encode_wav(sound, 8000).numpy())
        padded = read(folder, batch_size=2, shuffle=False)
        fixed = read(folder, batch_size=2, shuffle=False, output_sequence_length=3)
        return [_elements(padded), _elements(fixed), padded.class_names]


def windows_over_a_series(tf: Any) -> Any:
    make = tf.keras.utils.timeseries_dataset_from_array
    series = np.arange(20)
    wide = np.arange(20.0).reshape(10, 2)
    return [
        _elements(make(series, series * 10, 4, batch_size=8)),
        _elements(make(series, None, 3, sequence_stride=4, sampling_rate=2)),
        _elements(make(wide, wide[3:], 3, batch_size=None, start_index=1, end_index=8)),
        [
            [list(x.shape), list(y.shape)]
            for x, y in make(wide, wide, 2, batch_size=4, shuffle=True)
        ],
        sorted(int(x[0]) for x in make(series, None, 2, batch_size=None, shuffle=True, seed=3)),
    ]


def windows_beyond_the_series(tf: Any) -> Any:
    return tf.keras.utils.timeseries_dataset_from_array(np.arange(5), None, 2, start_index=7)


def two_parts(tf: Any) -> Any:
    split = tf.keras.utils.split_dataset
    x = np.arange(10)
    found = [
        *split(x, left_size=0.8),
        *split((x, x * 2), right_size=3),
        *split([x, x.astype("float32")], left_size=2, right_size=0.5, shuffle=True, seed=1),
    ]
    pairs = tf.data.Dataset.from_tensor_slices((x, x + 1))
    found += split(pairs, left_size=0.5)
    found += split(tf.data.Dataset.from_tensor_slices({"a": x}), left_size=7)
    return [
        [e if isinstance(e, dict) else list(e) if isinstance(e, tuple) else e for e in d]
        for d in found
    ]


def two_parts_of_too_much(tf: Any) -> Any:
    return tf.keras.utils.split_dataset(np.arange(4), left_size=0.7, right_size=0.7)


def two_parts_of_a_string(tf: Any) -> Any:
    return tf.keras.utils.split_dataset("abc", left_size=0.5)


def embeddings_kept(tf: Any) -> Any:
    base = np.arange(6.0, dtype="float32").reshape(3, 2)
    make = tf.keras.utils.warmstart_embedding_matrix
    return [
        make(["a", "b", "c"], ["c", "x", "a", "y"], base, "ones"),
        make(np.array(["a", "b"]), ("b",), base[:2], "zeros"),
    ]


def batches_by_number(tf: Any) -> Any:
    class Squares(tf.keras.utils.Sequence):
        def __init__(self) -> None:
            self.epochs = 0

        def __len__(self) -> int:
            return 3

        def __getitem__(self, index: int) -> int:
            return index**2

        def on_epoch_end(self) -> None:
            self.epochs += 1

    squares = Squares()
    enqueuer = tf.keras.utils.OrderedEnqueuer(squares)
    enqueuer.start(workers=2, max_queue_size=4)
    batches = enqueuer.get()
    first = [next(batches) for _ in range(7)]
    enqueuer.stop()
    generator = tf.keras.utils.GeneratorEnqueuer(iter(range(4)))
    generator.start()
    values = list(generator.get())
    generator.stop()
    return [list(squares), first, values, enqueuer.is_running(), squares.epochs >= 2]


def same_seeds(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(3)
    return [random.random(), np.random.rand(), tf.random.uniform((2,))]


def a_seed_that_is_no_integer(tf: Any) -> Any:
    return tf.keras.utils.set_random_seed("a")


def files_from_the_cache(tf: Any) -> Any:
    import hashlib
    import zipfile

    u = tf.keras.utils
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, "datasets"))
        path = os.path.join(folder, "datasets", "a.zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("inside.txt", "hello")
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        found = u.get_file(
            "a.zip",
            "http://nowhere.invalid/a.zip",
            file_hash=digest,
            cache_dir=folder,
            extract=True,
        )
        local = u.get_file(origin=Path(path).as_uri(), cache_dir=folder, cache_subdir="copies")
        return [
            os.path.relpath(found, folder),
            Path(folder, "datasets", "inside.txt").read_text(),
            os.path.relpath(local, folder),
        ]


def files_without_an_origin(tf: Any) -> Any:
    return tf.keras.utils.get_file("a")


def files_without_a_network(tf: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return tf.keras.utils.get_file("a", "http://nowhere.invalid/a", cache_dir=folder)


def two_parts_of_batches(tf: Any) -> Any:
    pairs = tf.data.Dataset.from_tensor_slices((np.arange(10), np.arange(10) * 2)).batch(4)
    left, right = tf.keras.utils.split_dataset(pairs, left_size=6)
    return [_elements(left), _elements(right)]
