"""Preparing numbers, categories, texts and images."""

import numpy as np

from tests.keras.tables import floats, ints, layer

IMAGE = np.abs(floats(2, 6, 5, 3, scale=80.0))
WORDS = np.array([["b", "x"], ["a", "c"]])
TEXTS = np.array(["A cat, a dog!", "the dog"])

ROWS = [
    layer("CategoryEncoding", ints(3, 2, high=4), num_tokens=4, _gradient=False),
    layer(
        "CategoryEncoding", ints(3, 1, high=4), num_tokens=4, output_mode="one_hot", _gradient=False
    ),
    layer("CenterCrop", IMAGE, height=3, width=4),
    layer("Discretization", floats(3, 2), bin_boundaries=[-0.5, 0.0, 0.5], _gradient=False),
    layer(
        "HashedCrossing",
        [np.array(["a", "b"]), np.array([3, 4])],
        num_bins=5,
        _gradient=False,
        _beyond=("shape",),  # tf_keras forgets two arguments of the function that it calls
    ),
    layer("Hashing", WORDS, num_bins=4, _gradient=False),
    layer("Hashing", ints(3, 2), num_bins=4, mask_value=2, salt=[7, 8], _gradient=False),
    layer("IntegerLookup", ints(3, 2).astype(np.int64), vocabulary=[4, 2, 1], _gradient=False),
    layer(
        "IntegerLookup",
        ints(3, 2).astype(np.int64),
        vocabulary=[4, 2],
        output_mode="multi_hot",
        _gradient=False,
    ),
    layer("Normalization", floats(4, 3), mean=[0.0, 1.0, 2.0], variance=[1.0, 2.0, 3.0]),
    layer("Normalization", floats(4, 3), axis=None, mean=1.0, variance=4.0, invert=True),
    layer("RandomBrightness", IMAGE, factor=0.2, seed=3),
    layer("RandomContrast", IMAGE, factor=0.3, seed=3, _gradient=False),
    layer("RandomCrop", IMAGE, height=3, width=2, seed=3),
    layer("RandomFlip", IMAGE, seed=3),
    layer("RandomFlip", IMAGE, {"training": False}, mode="vertical"),
    layer("RandomHeight", IMAGE, factor=0.4, seed=3),
    layer("RandomRotation", IMAGE, factor=0.2, seed=3, _tolerance=1e-3),
    layer("RandomTranslation", IMAGE, height_factor=0.2, width_factor=0.3, seed=3, _tolerance=1e-3),
    layer("RandomWidth", IMAGE, factor=(-0.5, -0.2), seed=3),
    layer("RandomZoom", IMAGE, height_factor=0.3, fill_mode="constant", seed=3, _tolerance=1e-3),
    layer("Rescaling", IMAGE, scale=2.0, offset=-1.0),
    layer("Resizing", IMAGE, height=4, width=7),
    layer("Resizing", IMAGE, height=3, width=3, crop_to_aspect_ratio=True),
    layer("StringLookup", WORDS, vocabulary=["a", "b"], _gradient=False),
    layer(
        "StringLookup",
        WORDS,
        vocabulary=["a", "b"],
        output_mode="count",
        num_oov_indices=2,
        _gradient=False,
    ),
    layer(
        "TextVectorization",
        TEXTS,
        vocabulary=["dog", "the"],
        output_sequence_length=5,
        _gradient=False,
    ),
    layer(
        "TextVectorization",
        TEXTS,
        vocabulary=["dog", "a dog"],
        output_mode="count",
        ngrams=2,
        _gradient=False,
    ),
]
