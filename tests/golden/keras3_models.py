"""Small models that Keras 3 writes and Runnel reads: the layers that exist in both."""

from __future__ import annotations

from typing import Any

import numpy as np

RANDOM = np.random.default_rng(5)


def _normal(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype(np.float32)


INPUTS: dict[str, Any] = {
    "mlp": _normal(4, 6),
    "cnn": _normal(4, 8, 8, 2),
    "lstm": RANDOM.integers(0, 9, (4, 5)),
    "recurrent": _normal(4, 5, 3),
    "two_inputs": [_normal(4, 3), _normal(4, 2)],
    "attention": _normal(4, 5, 6),
    "nested": _normal(4, 3),
}
LABELS = RANDOM.integers(0, 3, 4)


def mlp(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((6,)),
            layers.Rescaling(0.5),
            layers.Dense(5, activation="relu", kernel_regularizer=keras.regularizers.L2(0.01)),
            layers.BatchNormalization(),
            layers.Dropout(0.3),
            layers.Dense(4, activation=keras.activations.gelu, kernel_initializer="he_normal"),
            layers.LeakyReLU(),
            layers.Dense(3, activation="softmax", kernel_constraint=keras.constraints.MaxNorm(2)),
        ],
        name="mlp",
    )


def cnn(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((8, 8, 2)),
            layers.Conv2D(4, 3, padding="same", use_bias=False),
            layers.BatchNormalization(momentum=0.9),
            layers.Activation("relu"),
            layers.MaxPooling2D(),
            layers.SeparableConv2D(3, 3, padding="same"),
            layers.DepthwiseConv2D(2, activation="tanh"),
            layers.Conv2DTranspose(2, 2, strides=2),
            layers.GlobalAveragePooling2D(),
            layers.Dense(3, activation="softmax"),
        ]
    )


def lstm(keras: Any) -> Any:
    layers = keras.layers
    words = keras.Input((5,), dtype="int32")
    read = layers.LSTM(5)(layers.Embedding(9, 4, mask_zero=True)(words))
    return keras.Model(words, layers.Dense(3, activation="softmax")(read * 2.0))


def recurrent(keras: Any) -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((5, 3)),
            layers.Bidirectional(layers.GRU(4, return_sequences=True)),
            layers.TimeDistributed(layers.Dense(3)),
            layers.LayerNormalization(),
            layers.SimpleRNN(4),
            layers.Dense(3, activation="softmax"),
        ]
    )


def two_inputs(keras: Any) -> Any:
    layers = keras.layers
    a, b = keras.Input((3,), name="a"), keras.Input((2,), name="b")
    shared = layers.Dense(4, activation="tanh", name="shared")
    left, right = shared(a), shared(layers.Concatenate()([b, layers.Reshape((1,))(b[:, :1])]))
    both = layers.Add()([left, right, layers.Dense(4)(b)])
    return keras.Model(
        [a, b], layers.Dense(3, activation="softmax")(layers.Multiply()([both, left]))
    )


def attention(keras: Any) -> Any:
    layers = keras.layers
    x = keras.Input((5, 6))
    attended = layers.MultiHeadAttention(2, 3)(x, x)
    y = layers.LayerNormalization()(x + attended)
    y = layers.Conv1D(4, 2, padding="causal", activation="relu")(y)
    y = layers.GlobalMaxPooling1D()(layers.UnitNormalization()(y))
    return keras.Model(x, layers.Dense(3, activation="softmax")(y))


def nested(keras: Any) -> Any:
    layers = keras.layers
    inner = keras.Sequential([keras.Input((3,)), layers.Dense(4, activation="relu")], name="inner")
    x = keras.Input((3,))
    y = layers.Subtract()([inner(x), layers.Dense(4)(x)])
    return keras.Model(x, layers.Softmax()(layers.Dense(3)(y)), name="outer")


MODELS = {
    make.__name__: make for make in (mlp, cnn, lstm, recurrent, two_inputs, attention, nested)
}
OPTIMIZERS = {
    "mlp": "adam",
    "cnn": "sgd",
    "lstm": "rmsprop",
    "recurrent": "adamw",
    "two_inputs": "nadam",
    "attention": "adagrad",
    "nested": "adamax",
}
