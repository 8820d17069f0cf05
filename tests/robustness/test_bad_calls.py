"""Bad calls: those that once ended in foreign errors, and a small part of the trial."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.robustness.bad_calls import trial
from tests.robustness.calls import Choice

keras, K = tf.keras, tf.keras.backend
X = np.ones([2, 3], np.float32)
IMAGES = np.ones([1, 4, 4, 1], np.float32)
OPERATORS = [X, X]
FINE = (TypeError, ValueError, tf.errors.OpError)

CALLS: dict[str, Callable[[], Any]] = {
    "get_single_element": lambda: tf.data.experimental.get_single_element(X),
    "NumpyIterator": lambda: tf.data.NumpyIterator(X),
    "CsvDataset": lambda: list(tf.data.experimental.CsvDataset("a", [1.0], field_delim=X)),
    "SqlDataset": lambda: tf.data.experimental.SqlDataset(["sqlite"], "a", "b", tf.int32),
    "make_csv_dataset": lambda: tf.data.experimental.make_csv_dataset("*.none", 1),
    "make_batched_features_dataset": lambda: tf.data.experimental.make_batched_features_dataset(
        "*.none", 1, {"a": tf.io.FixedLenFeature([], tf.float32)}
    ),
    "parse_example": lambda: tf.io.parse_example(["a"], features=1.5),
    "K.conv2d": lambda: K.conv2d(IMAGES, kernel=3),
    "K.conv3d": lambda: K.conv3d(IMAGES[None], kernel=3),
    "K.moving_average_update": lambda: K.moving_average_update(X, X, 0.5),
    "metrics.serialize": lambda: keras.metrics.serialize(math),
    "metrics.serialize, older": lambda: keras.metrics.serialize(math, use_legacy_format=True),
    "EinsumDense": lambda: keras.layers.EinsumDense(3, 4)(X),
    "Dense of a module": lambda: keras.layers.Dense(2)(math),
    "Conv2D of a module": lambda: keras.layers.Conv2D(2, 2)(math),
    "LSTM of a module": lambda: keras.layers.LSTM(2)(math),
    "Dropout of a module": lambda: keras.layers.Dropout(0.5)(math, training=True),
    "Normalization of a module": lambda: keras.layers.Normalization(mean=0.0, variance=1.0)(math),
    "StringLookup of a module": lambda: keras.layers.StringLookup(vocabulary=["a"])(math),
    "GroupNormalization of a module": lambda: keras.layers.GroupNormalization(1)(math),
    "Composition": lambda: tf.linalg.LinearOperatorComposition(OPERATORS),
    "Kronecker": lambda: tf.linalg.LinearOperatorKronecker(OPERATORS),
    "BlockDiag": lambda: tf.linalg.LinearOperatorBlockDiag(OPERATORS),
    "BlockLowerTriangular": lambda: tf.linalg.LinearOperatorBlockLowerTriangular([[X]]),
    "StaticHashTable": lambda: tf.lookup.StaticHashTable(X, 1.0),
    "StaticVocabularyTable": lambda: tf.lookup.StaticVocabularyTable(X, 1),
    "nn.conv2d": lambda: tf.nn.conv2d(IMAGES, IMAGES, 1, "SAME", data_format=2**62),
    "nn.conv3d": lambda: tf.nn.conv3d(
        IMAGES[None], IMAGES[None], [1] * 5, "SAME", data_format=2**62
    ),
    "nn.max_pool2d": lambda: tf.nn.max_pool2d(IMAGES, 2, 2, "SAME", data_format=2**62),
    "safe_embedding_lookup_sparse": lambda: tf.nn.safe_embedding_lookup_sparse(X, X),
    "GRU of rank 10": lambda: keras.layers.GRU(2)(np.ones([1] * 10).tolist()),
    "filters": lambda: keras.layers.Conv2D(math.inf, 2)(IMAGES),
    "units": lambda: keras.layers.Dense(math.inf)(X),
    "seed": lambda: tf.random.uniform([2], seed=math.inf),
    "range_max": lambda: tf.random.uniform_candidate_sampler([[1]], 1, 1, True, math.inf),
    "range": lambda: tf.range(math.inf),
    "arange": lambda: K.arange(2**50),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("traced", [False, True])
def test_calls_that_once_ended_in_foreign_errors(name: str, traced: bool) -> None:
    def call() -> None:
        CALLS[name]()

    with pytest.raises(FINE) as caught:
        tf.function(call, autograph=False)() if traced else call()
    assert type(caught.value).__module__.startswith(("builtins", "runnel"))


def test_no_call_has_a_foreign_error() -> None:
    outcome = trial(400, 2.0, 0)
    assert not outcome.findings
    assert outcome.tries == 400


def test_a_number_is_always_the_same_call_and_every_name_has_its_turn() -> None:
    choice = Choice(tf, 3)
    assert [str(Choice(tf, 3).call(i)) for i in range(5)] == [str(choice.call(i)) for i in range(5)]
    names = {choice.call(number).symbol for number in range(0, 4 * len(choice._public), 2)}
    assert len(names) >= len(choice._public)
