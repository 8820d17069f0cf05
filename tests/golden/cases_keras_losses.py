"""Every loss of `tf.keras.losses`: its value with each option, and the function behind it."""

from __future__ import annotations

from typing import Any

import numpy as np

RANDOM = np.random.default_rng(5)
NUMBERS = RANDOM.normal(size=(4, 3)).astype(np.float32)
TRUTH = RANDOM.normal(size=(4, 3)).astype(np.float32)
SIGNS = np.sign(TRUTH)
BITS = (TRUTH > 0).astype(np.float32)
CHANCES = (1 / (1 + np.exp(-NUMBERS))).astype(np.float32)
SHARES = (CHANCES / CHANCES.sum(axis=1, keepdims=True)).astype(np.float32)
CLASSES = np.array([0, 2, 1, 2])
ONE_HOT = np.eye(3, dtype=np.float32)[CLASSES]
WEIGHT = np.array([0.5, 2.0, 0.0, 1.0], np.float32)


def _values(tf: Any, name: str, truth: Any, guess: Any, **options: Any) -> dict[str, Any]:
    kind = getattr(tf.keras.losses, name)
    found = {}
    for reduction in ("auto", "none", "sum", "sum_over_batch_size"):
        found[reduction] = kind(reduction=reduction, **options)(truth, guess)
    found["weighted"] = kind(**options)(truth, guess, sample_weight=WEIGHT)
    x = tf.constant(guess)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = kind(**options)(truth, x)
    found["gradient"] = tape.gradient(value, x)
    config = kind(**options).get_config()
    found["config"] = {k: v for k, v in config.items() if not hasattr(v, "shape")}
    return found


def regression(tf: Any) -> Any:
    names = """MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError LogCosh
    CosineSimilarity Huber""".split()
    found = {name: _values(tf, name, TRUTH, NUMBERS) for name in names}
    found["delta"] = _values(tf, "Huber", TRUTH, NUMBERS, delta=0.5)
    found["axis"] = _values(tf, "CosineSimilarity", TRUTH, NUMBERS, axis=-1)
    found["positive"] = _values(tf, "MeanSquaredLogarithmicError", np.abs(TRUTH), np.abs(NUMBERS))
    found["poisson"] = _values(tf, "Poisson", np.abs(TRUTH), np.abs(NUMBERS))
    return found


def hinges(tf: Any) -> Any:
    return [
        _values(tf, "Hinge", SIGNS, NUMBERS),
        _values(tf, "Hinge", BITS, NUMBERS),
        _values(tf, "SquaredHinge", SIGNS, NUMBERS),
        _values(tf, "CategoricalHinge", ONE_HOT, NUMBERS),
    ]


def binary(tf: Any) -> Any:
    return [
        _values(tf, "BinaryCrossentropy", BITS, CHANCES),
        _values(tf, "BinaryCrossentropy", BITS, NUMBERS, from_logits=True, label_smoothing=0.2),
        _values(tf, "BinaryFocalCrossentropy", BITS, CHANCES, gamma=1.5),
        _values(
            tf,
            "BinaryFocalCrossentropy",
            BITS,
            NUMBERS,
            from_logits=True,
            apply_class_balancing=True,
        ),
    ]


def categorical(tf: Any) -> Any:
    return [
        _values(tf, "CategoricalCrossentropy", ONE_HOT, SHARES),
        _values(tf, "CategoricalCrossentropy", ONE_HOT, NUMBERS, from_logits=True),
        _values(tf, "CategoricalCrossentropy", ONE_HOT, SHARES, label_smoothing=0.1),
        _values(tf, "CategoricalFocalCrossentropy", ONE_HOT, SHARES),
        _values(tf, "SparseCategoricalCrossentropy", CLASSES, SHARES),
        _values(tf, "SparseCategoricalCrossentropy", CLASSES, NUMBERS, from_logits=True),
        _values(
            tf,
            "SparseCategoricalCrossentropy",
            CLASSES,
            NUMBERS,
            from_logits=True,
            ignore_class=2,
        ),
        _values(tf, "KLDivergence", SHARES, SHARES[::-1].copy()),
    ]


def functions(tf: Any) -> Any:
    losses = tf.keras.losses
    return [
        losses.mse(TRUTH, NUMBERS),
        losses.mae(TRUTH, NUMBERS),
        losses.categorical_crossentropy(ONE_HOT, SHARES),
        losses.sparse_categorical_crossentropy(CLASSES, SHARES),
        losses.sparse_categorical_crossentropy(CLASSES[:, None], SHARES),
        losses.binary_crossentropy(BITS, CHANCES),
        losses.huber(TRUTH, NUMBERS),
        losses.kld(SHARES, SHARES[::-1].copy()),
        losses.get("mape")(TRUTH, NUMBERS),
    ]


def a_bad_reduction(tf: Any) -> Any:
    return tf.keras.losses.MeanSquaredError(reduction="mean")
