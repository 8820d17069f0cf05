"""Small models whose files are exchanged with tf_keras."""

from __future__ import annotations

from typing import Any

import numpy as np

RANDOM = np.random.default_rng(3)
INPUTS: dict[str, Any] = {
    "sequential": RANDOM.normal(size=(6, 4)).astype(np.float32),
    "functional": {
        "picture": RANDOM.normal(size=(6, 5, 5, 1)).astype(np.float32),
        "words": RANDOM.integers(0, 7, (6, 3)),
    },
}
LABELS = RANDOM.integers(0, 2, 6)
INPUTS["nested"] = RANDOM.normal(size=(6, 4)).astype(np.float32)
INPUTS["functions"] = RANDOM.normal(size=(6, 4)).astype(np.float32)


def sequential(tf: Any) -> Any:
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Dense(3, activation="relu", input_shape=(4,), kernel_regularizer="l2"),
            layers.Dropout(0.5),
            layers.BatchNormalization(),
            layers.Dense(2, activation="softmax"),
        ],
        name="small",
    )


def functional(tf: Any) -> Any:
    layers = tf.keras.layers
    picture = tf.keras.Input((5, 5, 1), name="picture")
    words = tf.keras.Input((3,), name="words")
    seen = layers.GlobalAveragePooling2D()(layers.Conv2D(2, 3, activation="tanh")(picture))
    read = layers.LSTM(2)(layers.Embedding(7, 2, mask_zero=True)(words))
    both = layers.Concatenate()([seen, read * 2.0])
    return tf.keras.Model({"picture": picture, "words": words}, layers.Dense(2)(both))


def nested(tf: Any) -> Any:
    """Models in a model: one called twice, one whose shape is not known before the call."""
    layers = tf.keras.layers
    start = tf.keras.Input((4,), name="start")
    twice = tf.keras.Model(start, layers.Dense(4, activation="tanh")(start), name="twice")
    late = tf.keras.Sequential([layers.Dense(3), layers.Dense(2)], name="late")
    x = tf.keras.Input((4,), name="x")
    y = twice(x)
    outputs = layers.Softmax()(late(layers.Add()([twice(y), y])))
    return tf.keras.Model(x, outputs, name="around")


def functions(tf: Any) -> Any:
    """Functions and operators as layers: those that TensorFlow saves by older names among them."""
    x = tf.keras.Input((4,), name="x")
    y = tf.keras.layers.Dense(4)(x)
    sizes = tf.shape(y)
    turned = tf.transpose(tf.reshape(y, [sizes[0], 2, 2]), [0, 2, 1])
    y = tf.gather(tf.squeeze(tf.reshape(turned, [-1, 4, 1]), axis=-1), [3, 0, 1], axis=1)
    y = tf.pad(y, [[0, 0], [1, 0]]) + 1 / (2.0 + y[:, :1] ** 2) - y[:, 1:2] // 2
    y = tf.nn.softmax(y) @ tf.ones((4, 3)) * 0.5 + tf.norm(y, axis=1, keepdims=True)
    y = y * np.float32([1, 2, 3]) + tf.cast(tf.size(y), tf.float32) / 6
    y = tf.concat([y, 1 - tf.nn.relu(y)], axis=-1)
    return tf.keras.Model(x, tf.keras.layers.Dense(2, "softmax")(y), name="of_functions")


MODELS = {
    "sequential": sequential,
    "functional": functional,
    "nested": nested,
    "functions": functions,
}


SENTENCES = ["a b", "c d e", "b"]


def of_words(tf: Any) -> Any:
    """A model with a vocabulary that was learnt."""
    layers = tf.keras.layers
    words = layers.TextVectorization(output_sequence_length=4)
    words.adapt(["a b c", "b c d"])
    start = tf.keras.Input((), dtype="string")
    return tf.keras.Sequential([start, words, layers.Embedding(10, 3), layers.Flatten()])


def of_own_layers(tf: Any) -> dict[str, Any]:
    """Models with layers whose classes only this program knows."""
    layers = tf.keras.layers

    class Scale(layers.Layer):
        def __init__(self, factor: float, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.factor = factor

        def build(self, input_shape: Any) -> None:
            self.w = self.add_weight("w", [input_shape[-1]], initializer="ones")
            self.built = True

        def call(self, x: Any, training: Any = None) -> Any:
            return x * self.w * self.factor + (100.0 if training else 0.0)

        def get_config(self) -> Any:
            return {**super().get_config(), "factor": self.factor}

    class Around(layers.Layer):
        def __init__(self) -> None:
            super().__init__(name="around")
            self.inner = layers.Dense(2, kernel_initializer="ones")

        def call(self, x: Any) -> Any:
            self.add_loss(tf.reduce_sum(x) * 0.1)
            return self.inner(x) * 5.0

    class Whole(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.scales = [Scale(4.0), Scale(0.5)]
            self.last = layers.Dense(1, kernel_initializer="ones")

        def call(self, x: Any) -> Any:
            for scale in self.scales:
                x = scale(x)
            return self.last(x)

    start = tf.keras.Input((3,))
    middle = Scale(3.0, name="mine")(layers.Dense(3, kernel_initializer="ones")(start))
    functional = tf.keras.Model(start, layers.Dense(1, kernel_initializer="ones")(middle))
    whole = Whole()
    whole(np.float32(OWN_INPUT))
    return {
        "own_functional": functional,
        "own_sequential": tf.keras.Sequential([tf.keras.Input((3,)), Around()]),
        "own_model": whole,
    }


OWN_INPUT = [[1.0, 2.0, 3.0]]
OWN_OUTPUTS = {  # when used, and when trained
    "own_functional": ([[54.0]], [[354.0]]),
    "own_sequential": ([[30.0, 30.0]], [[30.0, 30.0]]),
    "own_model": ([[12.0]], [[462.0]]),
}


def fitted(tf: Any, model: Any, name: str) -> Any:
    """The model after a few steps, so that its optimizer has a state."""
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=name == "functional")
    optimizer = tf.keras.optimizers.Adam(0.01)
    model.compile(optimizer, loss, metrics=["accuracy"], run_eagerly=True)
    model.fit(INPUTS[name], LABELS, epochs=2, batch_size=3, verbose=0)
    return model
