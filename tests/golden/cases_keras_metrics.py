"""Metrics of `tf.keras.metrics`: results over batches, with weights, and after a reset."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.cases_keras_losses import (
    BITS,
    CHANCES,
    CLASSES,
    NUMBERS,
    ONE_HOT,
    SHARES,
    SIGNS,
    TRUTH,
    WEIGHT,
)


def _results(tf: Any, name: str, truth: Any, guess: Any, **options: Any) -> list[Any]:
    metric = getattr(tf.keras.metrics, name)(**options)
    metric.update_state(truth, guess)
    found = [metric.result()]
    metric.update_state(truth[:2], guess[:2], sample_weight=WEIGHT[:2])
    found += [metric.result(), metric.name, [w.name for w in metric.weights]]
    metric.reset_state()
    metric.update_state(truth[2:], guess[2:])
    return [*found, metric.result()]


def means(tf: Any) -> Any:
    m = tf.keras.metrics
    mean, total, tensor = m.Mean(), m.Sum(), m.MeanTensor()
    for metric in (mean, total):
        metric.update_state([1.0, 3.0, 5.0])
        metric.update_state([[1.0, 2.0]], sample_weight=[0.5])
        metric.update_state(7.0)
    tensor.update_state([1.0, 2.0])
    tensor.update_state([3.0, 6.0], sample_weight=[0.5, 2.0])
    merged = m.Mean()
    merged.merge_state([mean, mean])
    return [mean.result(), total.result(), tensor.result(), merged.result(), mean.count]


def accuracies(tf: Any) -> Any:
    return [
        _results(tf, "Accuracy", CLASSES, np.array([0, 2, 2, 2])),
        _results(tf, "BinaryAccuracy", BITS, CHANCES),
        _results(tf, "BinaryAccuracy", BITS, CHANCES, threshold=0.7),
        _results(tf, "CategoricalAccuracy", ONE_HOT, SHARES),
        _results(tf, "SparseCategoricalAccuracy", CLASSES, SHARES),
        _results(tf, "SparseCategoricalAccuracy", CLASSES[:, None], SHARES),
        _results(tf, "TopKCategoricalAccuracy", ONE_HOT, SHARES, k=2),
        _results(tf, "SparseTopKCategoricalAccuracy", CLASSES, SHARES, k=2),
    ]


def losses(tf: Any) -> Any:
    numbers = "MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError LogCoshError".split()
    return [
        *[_results(tf, name, TRUTH, NUMBERS) for name in numbers],
        _results(tf, "MeanSquaredLogarithmicError", np.abs(TRUTH), np.abs(NUMBERS)),
        _results(tf, "Poisson", np.abs(TRUTH), np.abs(NUMBERS)),
        _results(tf, "Hinge", SIGNS, NUMBERS),
        _results(tf, "SquaredHinge", SIGNS, NUMBERS),
        _results(tf, "CategoricalHinge", ONE_HOT, NUMBERS),
        _results(tf, "KLDivergence", SHARES, SHARES[::-1].copy()),
        _results(tf, "BinaryCrossentropy", BITS, CHANCES),
        _results(tf, "CategoricalCrossentropy", ONE_HOT, NUMBERS, from_logits=True),
        _results(tf, "SparseCategoricalCrossentropy", CLASSES, SHARES),
    ]
