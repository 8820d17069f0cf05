"""Rows of `tf.keras.losses`: classes with each reduction and kind of weights, and functions."""

from typing import Any

import numpy as np

from tests.keras.tables import floats
from tests.keras.tables.parts import Ragged, Row, again, config, function, spread, tensors

NUMBERS = floats(4, 3, seed=1)
TRUTH = floats(4, 3, seed=2)
SIGNS = np.sign(TRUTH)
BITS = (TRUTH > 0).astype(np.float32)
CHANCES = (1 / (1 + np.exp(-NUMBERS))).astype(np.float32)
SHARES = (CHANCES / CHANCES.sum(axis=1, keepdims=True)).astype(np.float32)
CLASSES = np.array([0, 2, 1, 2])
ONE_HOT = np.eye(3, dtype=np.float32)[CLASSES]
WEIGHT = np.array([0.5, 2.0, 0.0, 1.0], np.float32)
IMAGE, IMAGE_TRUTH = floats(2, 3, 4, seed=3), floats(2, 3, 4, seed=4)
IMAGE_SHARES = np.exp(IMAGE) / np.exp(IMAGE).sum(axis=-1, keepdims=True)
IMAGE_CLASSES = np.array([[0, 3, 1], [2, 0, 3]])

REDUCTIONS = ("auto", "none", "sum", "sum_over_batch_size")


BY_EXAMPLE = (None, WEIGHT, WEIGHT[:, None], 0.5)
ONE_FOR_ALL = (None, 0.5)


def _loss(tf: Any, kind: Any, row: Row) -> Any:
    truth, guess = tensors(tf, row.inputs[:2])
    weights = tensors(tf, row.inputs[2])
    found: dict[str, Any] = {
        reduction: [
            kind(reduction=reduction, **row.kwargs)(truth, guess, sample_weight=weight)
            for weight in weights
        ]
        for reduction in REDUCTIONS
    }
    loss = kind(**row.kwargs)
    if isinstance(guess, tf.Tensor):
        with tf.GradientTape() as tape:
            tape.watch(guess)
            value = loss(truth, guess)
        found["gradient"] = tape.gradient(value, guess)
    found["again"] = again(loss)(truth, guess)
    return {**spread(found), "config": config(tf, loss), "name": loss.name}


def loss(name: str, truth: Any, guess: Any, /, **kwargs: Any) -> Row:
    """A loss class, told of labels and predictions with each of `_weights`."""
    weights = kwargs.pop("_weights", BY_EXAMPLE)
    options = {key[1:]: kwargs.pop(key) for key in list(kwargs) if key.startswith("_")}
    return Row(name, kwargs, (truth, guess, weights), _loss, **options)


NUMERIC = "MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError LogCosh Huber".split()
POSITIVE = ["MeanSquaredLogarithmicError", "Poisson"]
REGRESSION = [
    *[loss(name, TRUTH, NUMBERS) for name in [*NUMERIC, "CosineSimilarity"]],
    *[loss(name, np.abs(TRUTH), np.abs(NUMBERS)) for name in POSITIVE],
    *[
        loss(name, IMAGE_TRUTH, IMAGE, _weights=(None, WEIGHT[:2], WEIGHT[:2, None], IMAGE[..., 0]))
        for name in [*NUMERIC, "CosineSimilarity"]
    ],
    *[loss(name, TRUTH[:, :1], NUMBERS[:, 0], _weights=ONE_FOR_ALL) for name in NUMERIC],
    *[loss(name, TRUTH[:, 0], NUMBERS[:, :1], _weights=ONE_FOR_ALL) for name in NUMERIC],
    *[loss(name, CLASSES[:, None], NUMBERS[:, :1]) for name in NUMERIC],
    *[loss(name, TRUTH, NUMBERS.astype(np.float16)) for name in NUMERIC],
    *[loss(name, TRUTH, NUMBERS.astype(np.float64)) for name in NUMERIC],
    *[loss(name, TRUTH[:, :2], NUMBERS) for name in NUMERIC],
    loss("Huber", TRUTH, NUMBERS, delta=0.5),
    loss("CosineSimilarity", TRUTH, NUMBERS, axis=0, _weights=ONE_FOR_ALL),
    loss("CosineSimilarity", np.zeros((2, 3), np.float32), NUMBERS[:2], _weights=(None,)),
    loss("MeanSquaredError", TRUTH, NUMBERS, name="mine"),
    loss("MeanAbsolutePercentageError", np.zeros((4, 3), np.float32), NUMBERS),
    loss("MeanSquaredError", TRUTH, NUMBERS, axis=1),
    loss("MeanSquaredError", TRUTH, NUMBERS, _weights=(WEIGHT[:3],)),
    loss("MeanSquaredError", IMAGE_TRUTH, IMAGE, _weights=(WEIGHT[:3],)),
]
RAGGED_TRUTH = Ragged([[[1.0, 2.0], [0.5, 1.0]], [[3.0, 1.0]]])
RAGGED_GUESS = Ragged([[[0.5, 1.0], [1.5, 2.0]], [[2.0, 0.5]]])
RAGGED_BITS = Ragged([[1.0, 0.0, 1.0], [0.0]])
RAGGED_CHANCES = Ragged([[0.2, 0.7, 0.9], [0.4]])
RAGGED = [
    *[
        loss(name, RAGGED_TRUTH, RAGGED_GUESS, _weights=(None,))
        for name in [*NUMERIC[:3], *POSITIVE[:1]]
    ],
    loss("BinaryCrossentropy", RAGGED_BITS, RAGGED_CHANCES, _weights=(None,)),
    loss("CategoricalCrossentropy", RAGGED_TRUTH, RAGGED_GUESS, _weights=(None,)),
    loss("SparseCategoricalCrossentropy", Ragged([[1, 0], [1]]), RAGGED_GUESS, _weights=(None,)),
    *[
        function(name, RAGGED_TRUTH, RAGGED_GUESS)
        for name in """mean_squared_error mean_absolute_error mean_absolute_percentage_error
        mean_squared_logarithmic_error""".split()
    ],
]
HINGES = [
    loss("Hinge", SIGNS, NUMBERS),
    loss("Hinge", BITS, NUMBERS),
    loss("Hinge", TRUTH, NUMBERS),
    loss("SquaredHinge", SIGNS, NUMBERS),
    loss("SquaredHinge", BITS, NUMBERS.astype(np.float64)),
    loss("CategoricalHinge", ONE_HOT, NUMBERS),
    loss("CategoricalHinge", ONE_HOT.astype(np.int32), NUMBERS),
]
BINARY = [
    loss("BinaryCrossentropy", BITS, CHANCES),
    loss("BinaryCrossentropy", BITS, BITS),
    loss("BinaryCrossentropy", BITS.astype(np.int32), CHANCES),
    loss("BinaryCrossentropy", BITS, NUMBERS, from_logits=True, label_smoothing=0.2),
    loss("BinaryCrossentropy", BITS, CHANCES, axis=0, _weights=ONE_FOR_ALL),
    loss("BinaryCrossentropy", BITS[:, 0], CHANCES[:, :1], _weights=ONE_FOR_ALL),
    loss("BinaryCrossentropy", BITS, CHANCES.astype(np.float16)),
    loss("BinaryCrossentropy", BITS, CHANCES.astype(np.float64)),
    loss("BinaryCrossentropy", BITS[:, :2], CHANCES),
    loss("BinaryFocalCrossentropy", BITS, CHANCES),
    loss("BinaryFocalCrossentropy", BITS, CHANCES, gamma=1.5, label_smoothing=0.1),
    loss("BinaryFocalCrossentropy", BITS, NUMBERS, from_logits=True, apply_class_balancing=True),
    loss("BinaryFocalCrossentropy", BITS, CHANCES, apply_class_balancing=True, alpha=0.4),
    loss("BinaryFocalCrossentropy", BITS, CHANCES, axis=0, _weights=ONE_FOR_ALL),
]
CATEGORICAL = [
    loss("CategoricalCrossentropy", ONE_HOT, SHARES),
    loss("CategoricalCrossentropy", ONE_HOT, CHANCES),
    loss("CategoricalCrossentropy", ONE_HOT, NUMBERS, from_logits=True),
    loss("CategoricalCrossentropy", ONE_HOT, SHARES, label_smoothing=0.1),
    loss("CategoricalCrossentropy", ONE_HOT, NUMBERS, from_logits=True, label_smoothing=0.3),
    loss("CategoricalCrossentropy", ONE_HOT, SHARES, axis=0, _weights=ONE_FOR_ALL),
    loss("CategoricalCrossentropy", ONE_HOT, SHARES.astype(np.float64)),
    loss("CategoricalCrossentropy", ONE_HOT, SHARES.astype(np.float16)),
    loss("CategoricalCrossentropy", ONE_HOT[:, :2], SHARES),
    loss("CategoricalCrossentropy", ONE_HOT, SHARES, axis=True),
    loss("CategoricalFocalCrossentropy", ONE_HOT, SHARES),
    loss("CategoricalFocalCrossentropy", ONE_HOT, SHARES, alpha=0.5, gamma=1.0),
    loss("CategoricalFocalCrossentropy", ONE_HOT, SHARES, alpha=[0.2, 0.5, 0.3]),
    loss("CategoricalFocalCrossentropy", ONE_HOT, NUMBERS, from_logits=True, label_smoothing=0.1),
    loss("SparseCategoricalCrossentropy", CLASSES, SHARES),
    loss("SparseCategoricalCrossentropy", CLASSES.astype(np.float32), SHARES),
    loss("SparseCategoricalCrossentropy", CLASSES[:, None], SHARES),
    loss("SparseCategoricalCrossentropy", CLASSES, NUMBERS, from_logits=True),
    loss("SparseCategoricalCrossentropy", CLASSES, NUMBERS, from_logits=True, ignore_class=2),
    loss("SparseCategoricalCrossentropy", CLASSES, SHARES, ignore_class=0),
    loss("SparseCategoricalCrossentropy", CLASSES, SHARES.astype(np.float64)),
    loss("SparseCategoricalCrossentropy", CLASSES[:2], SHARES),
    loss("KLDivergence", SHARES, SHARES[::-1].copy()),
    loss("KLDivergence", ONE_HOT, SHARES),
    loss("KLDivergence", SHARES, SHARES[::-1].astype(np.float64)),
]
FUNCTIONS = [
    *[
        function(name, TRUTH, NUMBERS)
        for name in """MSE MAE MAPE mse mae mape mean_squared_error mean_absolute_error
        mean_absolute_percentage_error log_cosh logcosh huber cosine_similarity hinge
        squared_hinge""".split()
    ],
    *[
        function(name, np.abs(TRUTH), np.abs(NUMBERS))
        for name in "MSLE msle mean_squared_logarithmic_error poisson".split()
    ],
    *[
        function(name, SHARES, SHARES[::-1].copy())
        for name in "KLD kld kl_divergence kullback_leibler_divergence".split()
    ],
    *[
        function(name, BITS, CHANCES)
        for name in ("binary_crossentropy", "binary_focal_crossentropy")
    ],
    *[
        function(name, ONE_HOT, SHARES)
        for name in """categorical_crossentropy categorical_focal_crossentropy
        categorical_hinge""".split()
    ],
    function("mean_squared_error", TRUTH.tolist(), NUMBERS.tolist()),
    function("mean_squared_error", CLASSES, CLASSES + 1),
    function("mean_absolute_error", CLASSES, CLASSES + 1),
    function("mean_squared_error", TRUTH, NUMBERS[:2]),
    function("huber", TRUTH, NUMBERS, delta=0.25),
    function("cosine_similarity", TRUTH, NUMBERS, axis=0),
    function("categorical_crossentropy", IMAGE_SHARES[::-1].copy(), IMAGE_SHARES),
    function("categorical_crossentropy", IMAGE_SHARES, IMAGE, from_logits=True, axis=1),
    function("sparse_categorical_crossentropy", CLASSES, SHARES),
    function("sparse_categorical_crossentropy", CLASSES[:, None], SHARES),
    function("sparse_categorical_crossentropy", IMAGE_CLASSES, IMAGE, from_logits=True),
    function("sparse_categorical_crossentropy", IMAGE_CLASSES, IMAGE_SHARES, ignore_class=3),
    function("sparse_categorical_crossentropy", IMAGE_CLASSES[..., None], IMAGE_SHARES),
    function(
        "sparse_categorical_crossentropy",
        IMAGE_CLASSES[:, :1].repeat(4, axis=1) % 3,
        IMAGE,
        from_logits=True,
        axis=1,
    ),
    function("sparse_categorical_crossentropy", CLASSES + 3, SHARES),
    function("binary_crossentropy", BITS, NUMBERS, from_logits=True, label_smoothing=0.1),
    function("binary_crossentropy", BITS, CHANCES, axis=0),
    function("binary_crossentropy", ["a"], CHANCES),
]
ROWS = [*REGRESSION, *HINGES, *BINARY, *CATEGORICAL, *FUNCTIONS, *RAGGED]
