"""Programs with the ready-made models of `tf.keras.experimental`."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
Y = np.linspace(0, 1, 4, dtype=np.float32)


def _wide_and_deep(tf: Any, **options: Any) -> Any:
    dense = tf.keras.layers.Dense
    network = tf.keras.Sequential([dense(2, kernel_initializer="ones") for _ in range(2)])
    linear = tf.keras.experimental.LinearModel(2, kernel_initializer="ones")
    return tf.keras.experimental.WideDeepModel(linear, network, **options)


def _history(model: Any, x: Any) -> dict[str, np.ndarray]:
    found = model.fit(x, np.stack([Y, Y], 1), epochs=3, verbose=0, shuffle=False).history
    return {name: np.float32(values) for name, values in found.items()}


def a_linear_model(tf: Any) -> Any:
    model = tf.keras.experimental.LinearModel(
        2, kernel_initializer="ones", kernel_regularizer="l2", activation="tanh"
    )
    model.compile("adagrad", "mse", metrics=["mae"])
    history = _history(model, X)
    return [history, model.weights, model.predict(X, verbose=0)]


def a_linear_model_of_several_inputs(tf: Any) -> Any:
    tf.keras.backend.clear_session()
    named = tf.keras.experimental.LinearModel(kernel_initializer="ones")
    listed = tf.keras.experimental.LinearModel(kernel_initializer="ones", use_bias=False)
    outputs = [
        named({"b": tf.constant(X), "a": tf.constant(X[:, :2])}),
        listed([tf.constant(X), tf.sparse.from_dense(X)]),
    ]
    return [outputs, [[w.name for w in model.weights] for model in (named, listed)]]


def a_linear_model_without_one_of_its_inputs(tf: Any) -> Any:
    model = tf.keras.experimental.LinearModel()
    model({"a": X, "b": X})
    return model({"a": X})


def two_parts_with_an_optimizer_each(tf: Any) -> Any:
    model = _wide_and_deep(tf)
    model.compile(["sgd", "adam"], "mse", metrics=["mae"])
    history = _history(model, [X, X])
    return [history, model.predict([X, X], verbose=0), [o.iterations for o in model.optimizer]]


def two_parts_with_one_optimizer(tf: Any) -> Any:
    model = _wide_and_deep(tf, activation="sigmoid")
    model.compile("sgd", "mse")
    history = _history(model, X)
    return [history, model.predict(X, verbose=0)]


def models_made_again(tf: Any) -> Any:
    K = tf.keras
    linear = K.experimental.LinearModel(3, activation="relu", name="linear")
    written = K.utils.serialize_keras_object(linear)
    again = K.utils.deserialize_keras_object(K.utils.serialize_keras_object(_wide_and_deep(tf)))
    linear.compile("sgd", "mse")
    linear.fit(X, np.ones((4, 3)), verbose=0)
    path = tempfile.mkdtemp() + "/linear.keras"
    linear.save(path)
    return [
        [written[key] for key in ("module", "class_name", "registered_name")],
        list(written["config"].items())[3:],
        again([X, X]),
        K.models.load_model(path)(X),
    ]
