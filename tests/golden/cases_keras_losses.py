"""Losses in programs: by name, by config, of one's own, with masks, in models."""

from __future__ import annotations

from typing import Any

import numpy as np

RANDOM = np.random.default_rng(5)
NUMBERS = RANDOM.normal(size=(4, 3)).astype(np.float32)
TRUTH = RANDOM.normal(size=(4, 3)).astype(np.float32)
STEPS, STEPS_TRUTH = (RANDOM.normal(size=(2, 3, 2)).astype(np.float32) for _ in range(2))
MASK = np.array([[True, False, True], [True, True, False]])


def by_name(tf: Any) -> Any:
    names = """mse MSE mae MAE mape MAPE msle MSLE kld KLD kl_divergence
    kullback_leibler_divergence logcosh log_cosh huber huber_loss cosine_similarity hinge
    squared_hinge categorical_hinge poisson bce BCE binary_crossentropy binary_focal_crossentropy
    categorical_crossentropy categorical_focal_crossentropy mean_squared_error""".split()
    get = tf.keras.losses.get
    chances = 1 / (1 + np.exp(-NUMBERS))
    found = {name: _called(get, name, np.abs(TRUTH), chances) for name in names}
    classes = "MeanSquaredError Huber BinaryCrossentropy KLDivergence".split()
    return [found, [type(get(name)).__name__ for name in classes], get(None)]


def _called(get: Any, name: str, truth: Any, guess: Any) -> Any:
    try:
        return get(name)(truth, guess)
    except Exception as error:
        return type(error).__name__


def by_config(tf: Any) -> Any:
    losses = tf.keras.losses
    made = losses.deserialize({"class_name": "Huber", "config": {"delta": 0.5, "name": "mine"}})
    same = losses.get(losses.serialize(losses.BinaryCrossentropy(from_logits=True)))
    focal = losses.get(losses.serialize(losses.CategoricalFocalCrossentropy(alpha=[0.2, 0.8])))
    return [list(loss.get_config().items()) for loss in (made, same, focal)]


def a_loss_of_ones_own(tf: Any) -> Any:
    class Gap(tf.keras.losses.Loss):
        def call(self, y_true: Any, y_pred: Any) -> Any:
            if tf.reduce_sum(y_pred) > 100.0:
                return tf.zeros_like(y_pred[:, 0])
            return tf.reduce_max(abs(y_true - y_pred), axis=-1)

    gap, total = Gap(), Gap(reduction="sum", name="total")
    traced = tf.function(total)(tf.constant(TRUTH), tf.constant(NUMBERS))
    weighed = gap(TRUTH, NUMBERS, sample_weight=[1.0, 0.0, 2.0, 0.5])
    return [gap(TRUTH, NUMBERS), weighed, traced, list(total.get_config().items())]


def a_mask_on_the_predictions(tf: Any) -> Any:
    found = []
    for reduction in ("auto", "sum", "none"):
        guess = tf.constant(STEPS)
        guess._keras_mask = tf.constant(MASK)
        loss = tf.keras.losses.MeanSquaredError(reduction=reduction)
        found += [loss(STEPS_TRUTH, guess), loss(STEPS_TRUTH, guess, sample_weight=[0.5, 2.0])]
    return found


def a_model_with_a_mask(tf: Any) -> Any:
    inputs = tf.keras.Input((3, 2))
    model = tf.keras.Model(inputs, tf.keras.layers.Masking(5.0)(inputs))
    x = STEPS.copy()
    x[0, 1] = 5.0
    model.compile("sgd", "mse")
    weighed = model.evaluate(x, STEPS_TRUTH, sample_weight=np.array([1.0, 3.0]), verbose=0)
    return [np.float32(model.evaluate(x, STEPS_TRUTH, verbose=0)), np.float32(weighed)]


def logits_behind_an_activation(tf: Any) -> Any:
    """A loss of probabilities is exact where they were made of large logits."""
    logits = np.array([[40.0, -40.0], [-90.0, 90.0]], np.float32)
    labels = np.array([[0.0, 1.0], [1.0, 0.0]], np.float32)
    sigmoid = tf.keras.activations.sigmoid(tf.constant(logits))
    softmax = tf.keras.activations.softmax(tf.constant(logits))
    losses = tf.keras.losses
    return [
        losses.binary_crossentropy(labels, sigmoid),
        losses.categorical_crossentropy(labels, softmax),
        losses.sparse_categorical_crossentropy([1, 0], softmax),
    ]


def of_symbolic_tensors(tf: Any) -> Any:
    """Losses as parts of a functional model, which is then made again from its config."""
    names = """mean_squared_error mean_absolute_error mean_absolute_percentage_error
    mean_squared_logarithmic_error binary_crossentropy categorical_crossentropy huber hinge
    squared_hinge categorical_hinge kl_divergence log_cosh poisson cosine_similarity
    binary_focal_crossentropy categorical_focal_crossentropy""".split()
    x = tf.keras.Input((3,))
    y = tf.keras.layers.Dense(3, "softmax", kernel_initializer="ones")(x)
    model = tf.keras.Model(x, [getattr(tf.keras.losses, name)(x, y) for name in names])
    again = tf.keras.Model.from_config(model.get_config())
    return [model(abs(TRUTH)), again(abs(NUMBERS))]


def of_symbolic_classes(tf: Any) -> Any:
    x, classes = tf.keras.Input((3,)), tf.keras.Input((), dtype="int32")
    y = tf.keras.layers.Dense(3, "softmax", kernel_initializer="ones")(x)
    losses = tf.keras.losses.sparse_categorical_crossentropy(classes, y)
    return tf.keras.Model([x, classes], losses)([TRUTH, np.array([0, 2, 1, 1])])


def added_to_a_model(tf: Any) -> Any:
    x = tf.keras.Input((3,))
    y = tf.keras.layers.Dense(3, kernel_initializer="ones")(x)
    model = tf.keras.Model(x, y)
    model.add_loss(tf.keras.losses.MeanSquaredError()(x, y))
    model.add_loss(0.5 * tf.reduce_sum(tf.keras.losses.huber(x, y)))
    model.compile(tf.keras.optimizers.SGD(0.1))
    losses = [model.evaluate(TRUTH, verbose=0)]
    model.fit(TRUTH, verbose=0)
    return np.float32([*losses, model.evaluate(TRUTH, verbose=0)])


def labels_of_unknown_rank(tf: Any) -> Any:
    column, row = TRUTH[:, :1], NUMBERS[:, 0]
    weights = np.array([[1.0], [2.0], [0.5], [0.0]], np.float32)
    calls = [
        ("MeanSquaredError", column, row),
        ("MeanSquaredError", row, column),
        ("Hinge", column, column, weights[:, 0]),
        ("CategoricalCrossentropy", abs(TRUTH), abs(NUMBERS), weights),
        ("SparseCategoricalCrossentropy", np.array([0, 1, 2, 0]), abs(NUMBERS)),
    ]
    found = []
    for name, *batch in calls:
        specs = [tf.TensorSpec(None, x.dtype) for x in batch]
        traced = tf.function(getattr(tf.keras.losses, name)(), input_signature=specs)
        found.append(traced(*map(tf.constant, batch)))
    return found


def ragged_rows_in_memory(tf: Any) -> Any:
    x = tf.ragged.constant([[0.1, 0.2, 0.3], [0.4], [0.5, 0.6]])
    y = tf.ragged.constant([[0.1, 0.0, 0.9], [0.3], [1.0, 0.2]])
    inputs = tf.keras.Input((None,), ragged=True)
    model = tf.keras.Model(inputs, tf.keras.layers.Lambda(lambda x: x * 0.5)(inputs))
    model.compile("sgd", "mse", metrics=["mae", tf.keras.metrics.AUC(num_thresholds=9)])
    weight = np.array([1.0, 2.0, 3.0], np.float32)
    history = model.fit(x, y, batch_size=2, shuffle=False, verbose=0).history
    return [
        np.float32(model.evaluate(x, y, batch_size=2, verbose=0)),
        np.float32(model.evaluate(x, y, sample_weight=weight, batch_size=3, verbose=0)),
        {name: np.float32(value) for name, value in history.items()},
        model.predict(x, batch_size=2, verbose=0),
    ]


def ragged_steps(tf: Any) -> Any:
    x = tf.RaggedTensor.from_row_splits(tf.constant(NUMBERS), [0, 1, 4])
    inputs = tf.keras.Input((None, 3), ragged=True)
    dense = tf.keras.layers.Dense(3, kernel_initializer="ones")
    model = tf.keras.Model(inputs, tf.keras.layers.TimeDistributed(dense)(inputs))
    model.compile("sgd", "mse", metrics=["mae"])
    losses = model.fit(x, x, batch_size=2, verbose=0).history["loss"]
    return [model(x), np.float32(losses), np.float32(model.evaluate(x, x, verbose=0))]


def sparse_rows_in_memory(tf: Any) -> Any:
    x = tf.sparse.from_dense(np.eye(4, dtype=np.float32))
    inputs = tf.keras.Input((4,), sparse=True)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, kernel_initializer="ones")(inputs))
    model.compile("sgd", "mse", metrics=["mae"])
    y = np.arange(4.0, dtype=np.float32)
    history = model.fit(x, y, batch_size=2, shuffle=False, verbose=0).history
    return [
        {name: np.float32(value) for name, value in history.items()},
        model.predict(x, batch_size=2, verbose=0),
    ]


def tensors_as_arguments(tf: Any) -> Any:
    loss = tf.keras.losses.BinaryCrossentropy(label_smoothing=tf.constant(0.2))
    return [list(loss.get_config().items()), loss(abs(TRUTH), 1 / (1 + np.exp(-NUMBERS)))]


def a_bad_reduction(tf: Any) -> Any:
    return tf.keras.losses.MeanSquaredError(reduction="mean")


def an_unknown_name(tf: Any) -> Any:
    return tf.keras.losses.get("squared")(TRUTH, NUMBERS)


def a_number_as_a_loss(tf: Any) -> Any:
    return tf.keras.losses.get(3)


def a_loss_without_call(tf: Any) -> Any:
    return tf.keras.losses.Loss()(TRUTH, NUMBERS)


def reductions(tf: Any) -> Any:
    r = tf.keras.losses.Reduction
    return [r.AUTO, r.NONE, r.SUM, r.SUM_OVER_BATCH_SIZE, list(r.all())]
