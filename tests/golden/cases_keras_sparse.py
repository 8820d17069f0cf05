"""Sparse matrices and tensors as inputs of models, and as outputs of layers."""

from __future__ import annotations

from typing import Any

import numpy as np

X = np.float32([[0, 1, 0], [2, 0, 0], [0, 0, 3], [0, 4, 5]])
Y = np.float32([[1], [3], [5], [6]])


def _matrix(form: str = "csr", x: Any = X) -> Any:
    import scipy.sparse

    return getattr(scipy.sparse, f"{form}_matrix")(x)


def _model(tf: Any, sparse: bool = True) -> Any:
    i = tf.keras.Input((3,), sparse=sparse)
    model = tf.keras.Model(i, tf.keras.layers.Dense(1, kernel_initializer="ones")(i))
    model.compile("sgd", "mse", metrics=["mae"])
    return model


def _history(model: Any, *data: Any, **options: Any) -> Any:
    found = model.fit(*data, verbose=0, **options).history
    return {name: np.float32(values) for name, values in found.items()}


def training_on_a_sparse_matrix(tf: Any) -> Any:
    model = _model(tf)
    history = _history(model, _matrix(), Y, epochs=2, batch_size=2, shuffle=False)
    return [history, model.get_weights()]


def sparse_matrices_in_every_door(tf: Any) -> Any:
    model, x = _model(tf), _matrix()
    return [
        np.float32(model.evaluate(x, Y, batch_size=3, verbose=0)),
        model.predict(x, batch_size=3, verbose=0),
        np.float32(model.train_on_batch(x, Y)),
        np.float32(model.test_on_batch(x, Y)),
        model.predict_on_batch(x),
    ]


def sparse_matrices_of_every_form(tf: Any) -> Any:
    return [_model(tf).predict(_matrix(form), batch_size=2, verbose=0) for form in ("csr", "coo")]


def a_sparse_matrix_for_a_dense_input(tf: Any) -> Any:
    return _model(tf, sparse=False).predict(_matrix(), verbose=0)


def a_sparse_matrix_of_doubles(tf: Any) -> Any:
    i = tf.keras.Input((3,), sparse=True)
    model = tf.keras.Model(i, tf.keras.layers.Lambda(tf.sparse.to_dense)(i))
    return model.predict(_matrix(x=X.astype("float64")), verbose=0)


def sparse_matrices_as_targets(tf: Any) -> Any:
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    return _history(model, X, _matrix())


def a_sparse_matrix_among_inputs(tf: Any) -> Any:
    K = tf.keras
    i, j = K.Input((3,), sparse=True), K.Input((1,))
    model = K.Model([i, j], K.layers.Dense(1, kernel_initializer="ones")(i) + j)
    model.compile("sgd", "mse")
    return [
        model.predict([_matrix(), Y], batch_size=2, verbose=0),
        _history(model, [_matrix(), Y], Y, batch_size=2, shuffle=False),
        np.float32(model.train_on_batch([_matrix(), Y], Y)),
    ]


def a_sparse_matrix_with_validation(tf: Any) -> Any:
    model, x = _model(tf), _matrix()
    return _history(model, x, Y, validation_data=(x, Y), shuffle=False)


def a_sparse_matrix_that_is_split(tf: Any) -> Any:
    return _history(_model(tf), _matrix(), Y, validation_split=0.5)


def a_sparse_matrix_and_weights(tf: Any) -> Any:
    model, x = _model(tf), _matrix()
    weights = np.float32([1, 0, 2, 0])
    return _history(model, x, Y, sample_weight=weights, shuffle=False)


def the_order_of_shuffled_sparse_rows(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(7)
    model = _model(tf)
    return _history(model, _matrix(), Y, epochs=2, batch_size=1)


def _specs(tf: Any, *outputs: Any) -> Any:
    return [[type(o).__name__, str(o.shape), o.dtype.name] for o in outputs]


def static_shapes_of_sparse_outputs(tf: Any) -> Any:
    K, L = tf.keras, tf.keras.layers
    words = ["a", "b", "c"]
    numbers, text = K.Input((4,), dtype="int64"), K.Input((4,), dtype="string")
    one, line = K.Input((1,), dtype="string"), K.Input((1,), dtype="string")
    modes = ("multi_hot", "count")
    made = [
        *(L.CategoryEncoding(5, mode, sparse=True)(numbers) for mode in (*modes, "one_hot")[:2]),
        *(L.StringLookup(vocabulary=words, output_mode=m, sparse=True)(text) for m in modes),
        L.StringLookup(vocabulary=words, output_mode="one_hot", sparse=True)(one),
        L.IntegerLookup(vocabulary=[1, 2], output_mode="count", sparse=True)(numbers),
        L.StringLookup(
            vocabulary=words, output_mode="count", sparse=True, max_tokens=9, pad_to_max_tokens=True
        )(text),
        *(L.TextVectorization(vocabulary=words, output_mode=m, sparse=True)(line) for m in modes),
        L.Hashing(6, output_mode="multi_hot", sparse=True)(text),
        L.HashedCrossing(6, output_mode="one_hot", sparse=True)((one, line)),
        L.Discretization([1.0, 2.0], output_mode="count", sparse=True)(K.Input((4,))),
    ]
    return _specs(tf, *made)


def dense_layers_behind_sparse_outputs(tf: Any) -> Any:
    K, L = tf.keras, tf.keras.layers
    words = ["a", "b", "c"]

    def dense() -> Any:
        return L.Dense(2, kernel_initializer="ones")

    i = K.Input((4,), dtype="int64")
    encoded = K.Model(i, dense()(L.CategoryEncoding(5, "count", sparse=True)(i)))
    line = K.Input((1,), dtype="string")
    vectorized = L.TextVectorization(vocabulary=words, output_mode="count", sparse=True)
    text = K.Model(line, dense()(vectorized(line)))
    looked_up = K.Sequential(
        [L.StringLookup(vocabulary=words, output_mode="multi_hot", sparse=True), dense()]
    )
    return [
        encoded(np.int64([[1, 1, 2, 0]])),
        text(tf.constant([["a b b"], ["c d e"]])),
        looked_up(tf.constant([["a", "b"], ["c", "c"]])),
    ]


def shapes_of_sparse_outputs_of_tensors(tf: Any) -> Any:
    L = tf.keras.layers
    words = ["a", "b"]
    text = tf.constant([["a", "c"], ["b", "b"]])
    return [
        str(made.shape)
        for made in (
            L.CategoryEncoding(3, "count", sparse=True)(np.int64([[1, 2], [0, 0]])),
            L.StringLookup(vocabulary=words, output_mode="count", sparse=True)(text),
            L.StringLookup(vocabulary=words, output_mode="multi_hot", sparse=True)(text[0]),
            L.TextVectorization(vocabulary=words, output_mode="count", sparse=True)(text[:, :1]),
        )
    ]
