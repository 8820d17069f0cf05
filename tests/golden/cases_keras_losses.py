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
