"""Layers of `tf.keras.layers.experimental`."""

from typing import Any

import numpy as np

from tests.keras.tables import floats, layer, made

MATRIX = floats(4, 3)
WORDS = np.array([["wolf", "owl"], ["zebra", "wolf"]], dtype=object)


def vocabulary(tf: Any) -> Any:
    return tf.constant(["wolf", "zebra"])


ROWS = [
    layer("experimental.RandomFourierFeatures", MATRIX, output_dim=5),
    layer(
        "experimental.RandomFourierFeatures",
        MATRIX,
        output_dim=2,
        kernel_initializer="laplacian",
        scale=2.0,
        trainable=True,
    ),
    layer("experimental.SyncBatchNormalization", MATRIX, {"training": True}),
    layer("experimental.SyncBatchNormalization", floats(2, 3, 3, 2), {"training": False}, axis=1),
    layer("experimental.EinsumDense", MATRIX, equation="ab,bc->ac", output_shape=2, bias_axes="c"),
    layer("experimental.preprocessing.PreprocessingLayer", MATRIX),
    layer(
        "experimental.DynamicLookup",
        WORDS,
        {"learn_vocab": False},
        vocabulary_size=2,
        initial_vocabulary=made(vocabulary),
        _gradient=False,
        _beyond=("shape",),
    ),
    layer(
        "experimental.DynamicEmbedding",
        WORDS,
        {"learn_vocab": False},
        input_dim=2,
        output_dim=3,
        initial_vocabulary=made(vocabulary),
        _beyond=("shape",),
    ),
]
