"""Programs with `tf.keras.preprocessing`: texts, sequences, augmented images."""

from __future__ import annotations

import os
import random
import tempfile
import warnings
from typing import Any

import numpy as np

_TEXTS = ["The cat sat on the mat.", "The dog ate my homework!", "cat dog cat"]


def words(tf: Any) -> Any:
    text = tf.keras.preprocessing.text
    return [
        text.text_to_word_sequence("Hello, World! a-b"),
        text.text_to_word_sequence("A,b c", filters="", lower=False, split=","),
        text.hashing_trick("the cat sat", 50, "md5"),
        text.hashing_trick("x", 10, lambda word: 7),
        len(text.one_hot("a b c", 5)),
    ]


def a_tokenizer(tf: Any) -> Any:
    tokenizer = tf.keras.preprocessing.text.Tokenizer()
    tokenizer.fit_on_texts(_TEXTS)
    numbers = tokenizer.texts_to_sequences(["the homework ate the bird", ["Dog", "cat"]])
    return [
        tokenizer.word_index,
        dict(tokenizer.word_counts),
        dict(sorted(tokenizer.word_docs.items())),
        dict(sorted(tokenizer.index_docs.items())),
        tokenizer.document_count,
        numbers,
        tokenizer.sequences_to_texts(numbers),
        [tokenizer.texts_to_matrix(_TEXTS, mode=m) for m in ("binary", "count", "freq", "tfidf")],
    ]


def a_tokenizer_of_few_words(tf: Any) -> Any:
    text = tf.keras.preprocessing.text
    tokenizer = text.Tokenizer(num_words=4, oov_token="<unknown>", lower=False)
    tokenizer.fit_on_texts(_TEXTS)
    again = text.tokenizer_from_json(tokenizer.to_json())
    numbers = again.texts_to_sequences(["The cat flies", ""])
    tokenizer.fit_on_sequences([[1, 2], [2]])
    return [
        numbers,
        again.sequences_to_texts([[1, 2, 3, 4, 5, 99]]),
        again.texts_to_matrix(["The cat flies"], mode="count"),
        sorted(again.get_config()),
        tokenizer.document_count,
    ]


def a_tokenizer_of_characters(tf: Any) -> Any:
    tokenizer = tf.keras.preprocessing.text.Tokenizer(char_level=True)
    tokenizer.fit_on_texts(["abca", "Bb"])
    analyzed = tf.keras.preprocessing.text.Tokenizer(analyzer=lambda text: text.split("-"))
    analyzed.fit_on_texts(["a-b", "b"])
    return [tokenizer.word_index, tokenizer.texts_to_sequences(["cab"]), analyzed.word_index]


def a_tokenizer_that_knows_nothing(tf: Any) -> Any:
    return tf.keras.preprocessing.text.Tokenizer().texts_to_matrix(["a"])


def a_tokenizer_with_an_unknown_mode(tf: Any) -> Any:
    return tf.keras.preprocessing.text.Tokenizer(5).sequences_to_matrix([[1]], mode="sum")


def a_tokenizer_with_an_unknown_argument(tf: Any) -> Any:
    return tf.keras.preprocessing.text.Tokenizer(words=5)


def word_pairs(tf: Any) -> Any:
    sequence = tf.keras.preprocessing.sequence
    random.seed(5)
    table = sequence.make_sampling_table(10, sampling_factor=0.1)
    return [
        table,
        sequence.skipgrams([1, 2, 0, 3], 5, window_size=1, negative_samples=0, shuffle=False),
        sequence.skipgrams([1, 2, 3], 9, window_size=1, seed=7),
        sequence.skipgrams([1, 2, 3], 9, negative_samples=0.5, categorical=True, seed=1),
        sequence.skipgrams([5, 6, 7], 9, sampling_table=table, seed=2),
    ]


def series_by_number(tf: Any) -> Any:
    make = tf.keras.preprocessing.sequence.TimeseriesGenerator
    data = np.arange(10).reshape(10, 1)
    first = make(data, data * 2, length=3, batch_size=4)
    second = make(
        data, data, 4, sampling_rate=2, stride=2, reverse=True, start_index=1, end_index=8
    )
    return [
        [list(batch) for batch in first],
        [list(batch) for batch in second],
        len(first),
        second.get_config(),
        first.to_json(),
    ]


def series_that_are_too_short(tf: Any) -> Any:
    return tf.keras.preprocessing.sequence.TimeseriesGenerator([1, 2], [1, 2], 5)


def series_of_other_lengths(tf: Any) -> Any:
    return tf.keras.preprocessing.sequence.TimeseriesGenerator([1, 2], [1], 1)


def _image(*shape: int) -> np.ndarray:
    return np.random.RandomState(4).uniform(0, 255, shape).astype("float32")


def affine_transforms(tf: Any) -> Any:
    transform = tf.keras.preprocessing.image.apply_affine_transform
    last = {"row_axis": 0, "col_axis": 1, "channel_axis": 2}
    image = _image(5, 4, 2)
    return [
        transform(image, **last),
        transform(image, theta=30, **last),
        transform(image, tx=1, ty=-0.5, fill_mode="constant", cval=3.0, **last),
        transform(image, shear=20, fill_mode="reflect", **last),
        transform(image, zx=0.5, zy=2, order=0, **last),
        transform(image, theta=10, tx=1, shear=5, zx=1.1, zy=0.9, fill_mode="wrap", **last),
        transform(np.moveaxis(image, -1, 0), theta=90),
    ]


def affine_transforms_of_equal_axes(tf: Any) -> Any:
    return tf.keras.preprocessing.image.apply_affine_transform(_image(2, 2, 2), row_axis=0)


def random_transforms(tf: Any) -> Any:
    image = tf.keras.preprocessing.image
    last = {"row_axis": 0, "col_axis": 1, "channel_axis": 2}
    x = _image(4, 5, 3)
    np.random.seed(8)
    return [
        image.random_rotation(x, 40, **last),
        image.random_shift(x, 0.3, 0.2, **last),
        image.random_shear(x, 30, **last),
        image.random_zoom(x, (0.5, 1.5), **last),
        image.random_channel_shift(x, 50.0, channel_axis=2),
        image.random_brightness(x, (0.5, 1.5)),
        image.apply_brightness_shift(x, 0.7, scale=False),
        image.apply_brightness_shift(x * 2 - 100, 1.2, scale=False),
        image.apply_channel_shift(x, 20.0, channel_axis=2),
    ]


def zooms_of_one_number(tf: Any) -> Any:
    return tf.keras.preprocessing.image.random_zoom(_image(2, 2, 2), (1,))


def _batches(iterator: Any, count: int) -> list[Any]:
    found = [next(iterator) for _ in range(count)]
    return [list(b) if isinstance(b, tuple) else b for b in found]


def generated_images(tf: Any) -> Any:
    make = tf.keras.preprocessing.image.ImageDataGenerator
    x, y = _image(5, 4, 4, 3), np.arange(5)
    augment = make(
        rotation_range=20,
        width_shift_range=0.2,
        height_shift_range=[1, 2],
        shear_range=10,
        zoom_range=0.2,
        channel_shift_range=20.0,
        horizontal_flip=True,
        vertical_flip=True,
        brightness_range=(0.8, 1.2),
        rescale=1 / 255,
    )
    return [
        _batches(augment.flow(x, y, batch_size=2, seed=3), 4),
        [float(v) for v in augment.get_random_transform((4, 4, 3), seed=1).values()],
        augment.random_transform(x[0], seed=2),
        augment.flow(x, batch_size=3, seed=1, shuffle=False)[1],
        _batches(make().flow((x, [y]), y, batch_size=5, sample_weight=y * 2, shuffle=False), 1),
    ]


def standardized_images(tf: Any) -> Any:
    make = tf.keras.preprocessing.image.ImageDataGenerator
    x = _image(6, 2, 2, 1)
    found = []
    for options in (
        {"samplewise_center": True, "samplewise_std_normalization": True},
        {"featurewise_center": True, "featurewise_std_normalization": True},
        {"preprocessing_function": lambda image: image + 1, "rescale": 0.5},
    ):
        generator = make(**options)
        generator.fit(x, seed=1)
        found.append(_batches(generator.flow(x, batch_size=6, shuffle=False), 1))
    whitened = make(featurewise_center=True, zca_whitening=True)
    whitened.fit(x)
    found.append(np.abs(_batches(whitened.flow(x, batch_size=6, shuffle=False), 1)[0]).round(3))
    augmented = make(horizontal_flip=True, featurewise_center=True)
    augmented.fit(x, augment=True, rounds=2, seed=9)
    return [*found, augmented.mean]


def generated_parts(tf: Any) -> Any:
    generator = tf.keras.preprocessing.image.ImageDataGenerator(validation_split=0.4)
    x, y = _image(5, 2, 2, 1), np.array([0, 1, 0, 1, 0])
    return [
        _batches(generator.flow(x, y, subset=subset, shuffle=False), 1)
        for subset in ("training", "validation")
    ]


def generated_images_of_rank_three(tf: Any) -> Any:
    return tf.keras.preprocessing.image.ImageDataGenerator().flow(_image(2, 2, 2))


def generated_images_of_an_unknown_part(tf: Any) -> Any:
    return tf.keras.preprocessing.image.ImageDataGenerator().flow(_image(2, 2, 2, 1), subset="all")


def images_of_folders(tf: Any) -> Any:
    from PIL import Image

    generator = tf.keras.preprocessing.image.ImageDataGenerator(
        horizontal_flip=True, validation_split=0.5
    )
    rng = np.random.RandomState(1)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        for name in ("x", "y", "z"):
            os.makedirs(os.path.join(folder, name))
            for i in range(2):
                pixels = rng.randint(0, 256, (4, 6, 3)).astype("uint8")
                Image.fromarray(pixels).save(os.path.join(folder, name, f"{i}.png"))
        flow = generator.flow_from_directory
        plain = flow(folder, target_size=(4, 6), batch_size=2, seed=1)
        found = [_batches(plain, 3), plain.filenames, plain.class_indices, plain.classes]
        sparse = flow(
            folder, (2, 3), "grayscale", ["z", "x"], "sparse", 3, False, subset="training"
        )
        found += [_batches(sparse, 2), sparse.samples, sparse.num_classes, sparse.labels]
        copies = flow(folder, (3, 3), class_mode="input", shuffle=False, interpolation="bilinear")
        return [*found, [len(part) for part in _batches(copies, 1)]]


def images_of_folders_in_an_unknown_mode(tf: Any) -> Any:
    generator = tf.keras.preprocessing.image.ImageDataGenerator()
    return generator.flow_from_directory(".", class_mode="many")


def a_generator_with_a_bad_zoom(tf: Any) -> Any:
    return tf.keras.preprocessing.image.ImageDataGenerator(zoom_range=(1, 2, 3))
