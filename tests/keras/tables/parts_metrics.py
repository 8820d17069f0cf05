"""Rows of `tf.keras.metrics`: results over batches with and without weights, state, config."""

import re
from dataclasses import replace
from typing import Any

import numpy as np

from tests.keras.tables.parts import Ragged, Row, again, config, function, spread, tensors
from tests.keras.tables.parts_losses import (
    BITS,
    CHANCES,
    CLASSES,
    IMAGE,
    IMAGE_CLASSES,
    IMAGE_TRUTH,
    NUMBERS,
    ONE_HOT,
    SHARES,
    SIGNS,
    TRUTH,
    WEIGHT,
)


def _updated(tf: Any, metric: Any, batches: Any) -> list[Any]:
    found = []
    for batch in batches:
        metric.update_state(*tensors(tf, batch))
        found.append(metric.result())
    return found


def gathered(tf: Any, kind: Any, row: Row) -> Any:
    """Results after each batch, of metrics merged, reset and made again from their config."""
    metric = kind(**row.kwargs)
    found: dict[str, Any] = {"results": _updated(tf, metric, row.inputs)}
    found["state"] = [tf.identity(w) for w in metric.weights]
    other = again(metric)
    _updated(tf, other, row.inputs[:1])
    other.merge_state([metric])
    found["merged"] = other.result()
    metric.reset_state()
    found["reset"] = metric.result()
    found["called"] = metric(*tensors(tf, row.inputs[-1]))
    return {
        **spread(found),
        "config": config(tf, metric),
        "name": metric.name,
        "weights": [[w.name, list(w.shape), w.dtype.name] for w in metric.weights],
        "text": re.sub(r"ListWrapper\((.*?)\)|<function (\w+).*>", r"\1\2", str(metric)),
    }


def metric(name: str, /, *batches: Any, **kwargs: Any) -> Row:
    """A metric class, told of batches in turn."""
    options = {key[1:]: kwargs.pop(key) for key in list(kwargs) if key.startswith("_")}
    return Row(name, kwargs, list(batches), gathered, **options)


def pairs(name: str, truth: Any, guess: Any, /, **kwargs: Any) -> Row:
    """A metric told of labels and predictions, then of some of them with weights, of each kind."""
    count = min(len(truth), 3)
    weight = WEIGHT[:count]
    some = (truth[:count], guess[:count])
    weights = [weight]
    if np.ndim(guess) > 1:
        weights.append(weight[:, None])
    return metric(name, (truth, guess), *[(*some, w) for w in weights], some, **kwargs)


def scalar_weight(name: str, truth: Any, guess: Any, /, **kwargs: Any) -> Row:
    return metric(name, (truth, guess, 0.5), (truth, guess), **kwargs)


RANDOM = np.random.default_rng(11)
FLAGS = RANDOM.integers(0, 2, 40).astype(np.int64)
SCORES = np.clip(RANDOM.uniform(size=40) * 0.7 + FLAGS * 0.3, 0, 1).astype(np.float32)
EDGES = np.array([0.0, 1.0, 0.5, 0.25, 0.75, 0.0, 1.0, 0.3], np.float32)
EDGE_FLAGS = np.array([0, 1, 1, 0, 1, 1, 0, 0])
LABELS = RANDOM.integers(0, 2, (12, 3)).astype(np.float32)
LABEL_SCORES = RANDOM.uniform(size=(12, 3)).astype(np.float32)
OUTSIDE = np.array([-0.5, 1.5, 0.5, np.nan], np.float32)
OUTSIDE_FLAGS = np.array([1, 0, 1, 1])
RAGGED_TRUTH = Ragged([[1.0, 0.0, 1.0], [0.0], []])
RAGGED_GUESS = Ragged([[0.2, 0.7, 0.9], [0.4], []])
OTHER_ROWS = Ragged([[0.2, 0.7], [0.4, 0.9], []])

MEANS = [
    metric("Mean", ([1.0, 3.0, 5.0],), ([[1.0, 2.0]], [0.5]), (7.0,)),
    metric("Mean", (NUMBERS,), (NUMBERS, WEIGHT), (NUMBERS, WEIGHT[:, None]), (NUMBERS, 0.5)),
    metric("Mean", (IMAGE,), (IMAGE, WEIGHT[:2]), (IMAGE, np.ones((2, 3), np.float32))),
    metric("Mean", (NUMBERS,), (3, 2), dtype="float64"),
    metric("Mean", (NUMBERS,), dtype="float16", name="average"),
    metric("Mean", (CLASSES,), dtype="int32"),
    metric("Mean", (Ragged([[1.0, 2.0], [4.0]]),), (Ragged([[1.0]]), Ragged([[0.5]]))),
    metric("Mean", (Ragged([[1.0, 2.0], [4.0]]), WEIGHT[:2])),
    metric("Mean", (WEIGHT[:2], Ragged([[1.0]]))),
    metric("Mean", ({"a": 1.0},)),
    metric("Mean", (NUMBERS, WEIGHT[:3])),
    metric("Mean", (["a"],)),
    metric("Mean", (np.zeros((0, 3), np.float32),)),
    metric("Sum", ([1.0, 3.0, 5.0],), ([[1.0, 2.0]], [0.5]), (7.0,)),
    metric("Sum", (NUMBERS,), (NUMBERS, WEIGHT), (NUMBERS, 0.5)),
    metric("Sum", (IMAGE,), (IMAGE, WEIGHT[:2])),
    metric("Sum", (CLASSES,), dtype="int32"),
    metric("Sum", (Ragged([[1.0, 2.0], [4.0]]),)),
    *[
        metric("MeanTensor", *batches, _open_batch=False, **kwargs)
        for batches, kwargs in (
            ([([1.0, 2.0],), ([3.0, 6.0], [0.5, 2.0]), ([3.0, 6.0], 2.0)], {"shape": (2,)}),
            ([(NUMBERS,), (NUMBERS, WEIGHT)], {"shape": (4, 3), "dtype": "float64"}),
            ([(NUMBERS,), (NUMBERS[:2],)], {}),
            ([(NUMBERS,)], {"shape": (2, 2)}),
        )
    ],
]
ACCURACIES = [
    pairs("Accuracy", CLASSES, np.array([0, 2, 2, 2])),
    pairs("Accuracy", IMAGE_CLASSES, IMAGE_CLASSES.astype(np.float32)),
    pairs("Accuracy", CLASSES[:, None], np.array([0, 2, 2, 2])),
    scalar_weight("Accuracy", CLASSES, np.array([0, 2, 2, 2])),
    metric("Accuracy", (CLASSES, CLASSES[:2])),
    metric("Accuracy", (RAGGED_TRUTH, RAGGED_TRUTH), (RAGGED_TRUTH, RAGGED_GUESS)),
    metric("Accuracy", (RAGGED_TRUTH, OTHER_ROWS)),
    pairs("BinaryAccuracy", BITS, CHANCES),
    pairs("BinaryAccuracy", BITS[:, 0], CHANCES[:, :1]),
    pairs("BinaryAccuracy", BITS, CHANCES, threshold=0.7, dtype="float64"),
    metric("BinaryAccuracy", (RAGGED_TRUTH, RAGGED_GUESS)),
    pairs("CategoricalAccuracy", ONE_HOT, SHARES),
    pairs("CategoricalAccuracy", ONE_HOT.astype(np.int32), SHARES, dtype="float16"),
    pairs("SparseCategoricalAccuracy", CLASSES, SHARES),
    pairs("SparseCategoricalAccuracy", CLASSES[:, None], SHARES),
    metric("SparseCategoricalAccuracy", (IMAGE_CLASSES, IMAGE), (IMAGE_CLASSES[..., None], IMAGE)),
    scalar_weight("SparseCategoricalAccuracy", CLASSES, SHARES),
    metric("SparseCategoricalAccuracy", (CLASSES[:3], SHARES)),
    pairs("TopKCategoricalAccuracy", ONE_HOT, SHARES, k=2),
    pairs("TopKCategoricalAccuracy", ONE_HOT, SHARES),
    pairs("SparseTopKCategoricalAccuracy", CLASSES, SHARES, k=2, name="top"),
    metric("SparseTopKCategoricalAccuracy", (IMAGE_CLASSES, IMAGE), k=2),
]
LOSSES = [
    *[
        pairs(name, TRUTH, NUMBERS)
        for name in """MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError LogCoshError
        RootMeanSquaredError CosineSimilarity""".split()
    ],
    *[
        scalar_weight(name, TRUTH[:, 0], NUMBERS[:, :1])
        for name in "MeanSquaredError MeanAbsoluteError RootMeanSquaredError LogCoshError".split()
    ],
    *[
        metric(name, (IMAGE_TRUTH, IMAGE), (IMAGE_TRUTH, IMAGE, WEIGHT[:2]))
        for name in "MeanSquaredError RootMeanSquaredError CosineSimilarity".split()
    ],
    scalar_weight("MeanSquaredError", CLASSES, CLASSES + 1, dtype="float64", name="mine"),
    pairs("MeanSquaredError", TRUTH[:, 0], NUMBERS[:, :1]),
    metric("MeanSquaredError", (RAGGED_TRUTH, RAGGED_GUESS), (RAGGED_TRUTH, RAGGED_GUESS)),
    metric("MeanSquaredError", (RAGGED_TRUTH, RAGGED_GUESS, RAGGED_GUESS)),
    metric("MeanSquaredError", (RAGGED_TRUTH, CHANCES)),
    metric("MeanSquaredError", (TRUTH, NUMBERS[:2])),
    pairs("RootMeanSquaredError", TRUTH, NUMBERS, dtype="float64"),
    pairs("CosineSimilarity", TRUTH, NUMBERS, axis=0),
    pairs("MeanSquaredLogarithmicError", np.abs(TRUTH), np.abs(NUMBERS)),
    pairs("Poisson", np.abs(TRUTH), np.abs(NUMBERS)),
    pairs("Hinge", SIGNS, NUMBERS),
    pairs("SquaredHinge", SIGNS, NUMBERS),
    pairs("CategoricalHinge", ONE_HOT, NUMBERS),
    pairs("KLDivergence", SHARES, SHARES[::-1].copy()),
    pairs("BinaryCrossentropy", BITS, CHANCES),
    pairs("BinaryCrossentropy", BITS, NUMBERS, from_logits=True, label_smoothing=0.2),
    pairs("CategoricalCrossentropy", ONE_HOT, SHARES),
    pairs("CategoricalCrossentropy", ONE_HOT, NUMBERS, from_logits=True, label_smoothing=0.1),
    pairs("SparseCategoricalCrossentropy", CLASSES, SHARES),
    pairs("SparseCategoricalCrossentropy", CLASSES, NUMBERS, from_logits=True, ignore_class=2),
    metric("SparseCategoricalCrossentropy", (IMAGE_CLASSES, IMAGE), from_logits=True),
    metric("MeanRelativeError", ([1.0, 3.0], [2.0, 2.0]), normalizer=[1.0, 3.0]),
    metric("MeanRelativeError", ([1.0, 3.0], [2.0, 2.0], [0.5, 1.0]), normalizer=[0.0, 3.0]),
    metric("MeanRelativeError", (TRUTH, NUMBERS), normalizer=[[1.0, 2.0, 3.0]], name="relative"),
    metric("MeanRelativeError", ([1.0, 3.0], [2.0, 2.0, 1.0]), normalizer=[1.0, 3.0]),
]
CONFUSION = [
    row
    for name in "TruePositives TrueNegatives FalsePositives FalseNegatives Precision Recall".split()
    for row in (
        pairs(name, FLAGS, SCORES),
        pairs(name, FLAGS.astype(bool), SCORES, thresholds=0.7),
        pairs(name, FLAGS, SCORES, thresholds=[0.25, 0.5, 0.8]),
        pairs(name, EDGE_FLAGS, EDGES, thresholds=[0.0, 0.5, 1.0]),
        pairs(name, LABELS, LABEL_SCORES),
        pairs(name, FLAGS[:, None], SCORES[:, None], dtype="float64"),
        pairs(name, FLAGS[:, None], SCORES),
        scalar_weight(name, LABELS, LABEL_SCORES),
        metric(name, (LABELS, LABEL_SCORES, LABEL_SCORES), name="weighed"),
        metric(name, (OUTSIDE_FLAGS, OUTSIDE)),
        metric(name, (OUTSIDE_FLAGS, OUTSIDE), thresholds=[0.0, 0.5, 1.0]),
        metric(name, (RAGGED_TRUTH, RAGGED_GUESS)),
        metric(name, (RAGGED_TRUTH, CHANCES)),
        metric(name, (FLAGS, SCORES[:5])),
        metric(name, (FLAGS, SCORES, WEIGHT)),
        metric(name, (FLAGS, SCORES), thresholds=1.5),
        metric(name, (FLAGS, SCORES), thresholds=[0.5, None]),
    )
] + [
    row
    for name in ("Precision", "Recall")
    for row in (
        pairs(name, LABELS, LABEL_SCORES, top_k=2),
        pairs(name, LABELS, LABEL_SCORES, class_id=1),
        pairs(name, LABELS, LABEL_SCORES, class_id=1, top_k=2, thresholds=0.4),
        pairs(name, LABELS, LABEL_SCORES, class_id=0, thresholds=[0.0, 0.5, 1.0]),
        pairs(name, LABELS, LABEL_SCORES, top_k=1, thresholds=[0.0, 0.25, 0.5, 0.75, 1.0]),
        metric(name, (LABELS, LABEL_SCORES), top_k=4),
        metric(name, (LABELS, LABEL_SCORES), class_id=5),
    )
]
BEST = [
    row
    for name, bound in {
        "SensitivityAtSpecificity": "specificity",
        "SpecificityAtSensitivity": "sensitivity",
        "PrecisionAtRecall": "recall",
        "RecallAtPrecision": "precision",
    }.items()
    for row in (
        metric(name, (FLAGS[:5], SCORES[:5]), **{bound: 0.5}),
        pairs(name, FLAGS, SCORES, num_thresholds=20, **{bound: 0.5}),
        pairs(name, FLAGS, SCORES, num_thresholds=5, **{bound: 0.8}),
        pairs(name, FLAGS, SCORES, num_thresholds=1, **{bound: 0.3}),
        pairs(name, EDGE_FLAGS, EDGES, num_thresholds=2, **{bound: 0.3}),
        pairs(name, EDGE_FLAGS, EDGES, num_thresholds=3, dtype="float64", **{bound: 1.0}),
        pairs(name, LABELS, LABEL_SCORES, class_id=2, num_thresholds=6, **{bound: 0.4}),
        metric(name, (np.zeros(4), np.ones(4)), num_thresholds=6, **{bound: 0.9}, name="none"),
        metric(name, (RAGGED_TRUTH, RAGGED_GUESS), num_thresholds=4, **{bound: 0.4}),
        metric(name, (FLAGS, SCORES), **{bound: 1.1}),
        metric(name, (FLAGS, SCORES), num_thresholds=0, **{bound: 0.5}),
        metric(name, (FLAGS, SCORES[:3]), **{bound: 0.5}),
    )
]
AREAS_UNDER = [
    *[
        pairs("AUC", FLAGS, SCORES, curve=curve, summation_method=method, num_thresholds=count)
        for curve in ("ROC", "PR", "PR_GAIN")
        for method in ("interpolation", "minoring", "majoring")
        for count in (3, 20)
    ],
    metric("AUC", (FLAGS, SCORES)),
    pairs("AUC", FLAGS.astype(bool), SCORES.astype(np.float64), dtype="float64", num_thresholds=9),
    pairs("AUC", EDGE_FLAGS, EDGES, num_thresholds=5),
    pairs("AUC", EDGE_FLAGS, EDGES, thresholds=[0.25, 0.5, 0.75]),
    pairs("AUC", EDGE_FLAGS, EDGES, thresholds=[0.9, 0.1, 0.3], curve="pr"),
    pairs("AUC", EDGE_FLAGS, EDGES, num_thresholds=2, summation_method="Majoring"),
    pairs("AUC", FLAGS, SCORES * 8 - 4, from_logits=True, num_thresholds=20),
    pairs("AUC", LABELS, LABEL_SCORES, num_thresholds=10),
    pairs("AUC", LABELS, LABEL_SCORES, num_thresholds=10, multi_label=True, num_labels=3),
    pairs("AUC", LABELS, LABEL_SCORES, thresholds=[0.2, 0.6], multi_label=True, num_labels=3),
    pairs(
        "AUC",
        LABELS,
        LABEL_SCORES,
        num_thresholds=10,
        multi_label=True,
        num_labels=3,
        label_weights=[0.5, 1.0, 2.0],
        curve="PR",
    ),
    pairs("AUC", LABELS, LABEL_SCORES, num_thresholds=10, label_weights=[0.5, 1.0, 2.0]),
    pairs("AUC", LABELS, LABEL_SCORES, thresholds=[0.2, 0.6], label_weights=[0.5, 1.0, 2.0]),
    pairs(
        "AUC",
        LABELS,
        LABEL_SCORES * 8 - 4,
        num_thresholds=10,
        multi_label=True,
        num_labels=3,
        from_logits=True,
        curve="PR_GAIN",
    ),
    scalar_weight("AUC", FLAGS, SCORES, num_thresholds=10),
    metric("AUC", (LABELS, LABEL_SCORES, LABEL_SCORES), num_thresholds=10),
    metric("AUC", (OUTSIDE_FLAGS, OUTSIDE), num_thresholds=5),
    metric("AUC", (OUTSIDE_FLAGS, OUTSIDE), thresholds=[0.3]),
    metric("AUC", (RAGGED_TRUTH, RAGGED_GUESS), num_thresholds=5),
    metric("AUC", (np.zeros(4), np.ones(4)), num_thresholds=4),
    metric("AUC", (FLAGS, SCORES), num_thresholds=1),
    metric("AUC", (FLAGS, SCORES), curve="area"),
    metric("AUC", (FLAGS, SCORES), summation_method="simpson"),
    metric("AUC", (FLAGS, SCORES), num_labels=2),
    metric("AUC", (FLAGS, SCORES), label_weights=[-1.0]),
    metric("AUC", (FLAGS, SCORES), multi_label=True),
    metric("AUC", (LABELS, LABEL_SCORES), multi_label=True, num_labels=2),
    metric("AUC", (LABELS, LABEL_SCORES), label_weights=[1.0, 2.0]),
    metric("AUC", (FLAGS, SCORES[:3])),
]
PLACES, FOUND = np.array([0, 1, 2, 2, 1, 0]), np.array([0, 2, 2, 1, 1, 0])
MAP = np.array([[0, 255, 1], [2, 2, 255]])
MAP_FOUND = np.array([[0, 1, 1], [2, 0, 2]])
FOUND_SHARES = np.eye(3, dtype=np.float32)[FOUND] * 0.5 + 0.1
OVERLAPS = [
    pairs("IoU", PLACES, FOUND, num_classes=3, target_class_ids=[0, 2]),
    pairs("IoU", PLACES, FOUND, num_classes=5, target_class_ids=(4, 1), dtype="float64"),
    metric("IoU", (PLACES, FOUND_SHARES), num_classes=3, target_class_ids=[1], sparse_y_pred=False),
    metric(
        "IoU",
        (np.eye(3)[PLACES].T, FOUND_SHARES.T),
        num_classes=3,
        target_class_ids=[1, 2],
        sparse_y_true=False,
        sparse_y_pred=False,
        axis=0,
    ),
    metric("IoU", (PLACES, FOUND), num_classes=2, target_class_ids=[2]),
    metric("IoU", (PLACES, FOUND), num_classes=2, target_class_ids=[1]),
    metric("IoU", (PLACES, FOUND[:3]), num_classes=3, target_class_ids=[1]),
    pairs("BinaryIoU", BITS[:, 0], CHANCES[:, 0]),
    metric("BinaryIoU", (BITS, CHANCES), (BITS, CHANCES, CHANCES), threshold=0.3),
    pairs("BinaryIoU", BITS[:, 0], CHANCES[:, 0], target_class_ids=[1], dtype="float64"),
    pairs("MeanIoU", PLACES, FOUND, num_classes=3),
    pairs("MeanIoU", PLACES, FOUND, num_classes=4, name="overlap"),
    metric("MeanIoU", (MAP, MAP_FOUND), num_classes=3, ignore_class=255),
    metric("MeanIoU", (MAP, MAP_FOUND, MAP_FOUND + 0.5), num_classes=3, ignore_class=255),
    metric("MeanIoU", (MAP, MAP), num_classes=3, ignore_class=255),
    pairs("MeanIoU", PLACES, FOUND, num_classes=3, ignore_class=0),
    pairs("MeanIoU", PLACES, FOUND, num_classes=3, ignore_class=-1),
    metric("MeanIoU", (MAP, MAP_FOUND), num_classes=3),
    metric("MeanIoU", (-PLACES, FOUND), num_classes=3),
    metric("MeanIoU", (IMAGE_CLASSES, IMAGE), num_classes=4, sparse_y_pred=False),
    metric("OneHotIoU", (ONE_HOT, SHARES), num_classes=3, target_class_ids=[0, 2]),
    metric(
        "OneHotIoU",
        (ONE_HOT, CLASSES, WEIGHT),
        num_classes=3,
        target_class_ids=[0],
        sparse_y_pred=True,
    ),
    metric("OneHotMeanIoU", (ONE_HOT, SHARES), (ONE_HOT, SHARES, WEIGHT), num_classes=3),
    metric("OneHotMeanIoU", (ONE_HOT.T, SHARES.T), num_classes=3, axis=0, ignore_class=2),
]
SCORED = [
    row
    for name in ("FBetaScore", "F1Score")
    for row in (
        *[
            metric(
                name,
                (LABELS, LABEL_SCORES),
                (LABELS[:4], LABEL_SCORES[:4], WEIGHT),
                average=average,
                threshold=threshold,
            )
            for average in (None, "micro", "macro", "weighted")
            for threshold in (None, 0.5)
        ],
        metric(name, (LABELS, np.zeros((12, 3), np.float32))),
        metric(name, (FLAGS, SCORES)),
        metric(name, (LABELS, LABEL_SCORES), average="mean"),
        metric(name, (LABELS, LABEL_SCORES), threshold=1),
        metric(name, (LABELS, LABEL_SCORES), threshold=1.5),
    )
] + [
    metric("FBetaScore", (LABELS, LABEL_SCORES), beta=2.0, name="second"),
    metric("FBetaScore", (LABELS.tolist(), LABEL_SCORES.tolist(), 0.5), average="micro"),
    metric("FBetaScore", (LABELS, LABEL_SCORES), beta=2),
    metric("FBetaScore", (LABELS, LABEL_SCORES), beta=-2.0),
]
EXPLAINED = [
    *[
        metric(
            "R2Score",
            (TRUTH, NUMBERS),
            (TRUTH, NUMBERS, WEIGHT),
            (TRUTH, NUMBERS, WEIGHT[:, None]),
            class_aggregation=aggregation,
            num_regressors=regressors,
        )
        for aggregation in (None, "uniform_average", "variance_weighted_average")
        for regressors in (0, 2, 11, 40)
    ],
    metric("R2Score", (TRUTH[:, :1], NUMBERS[:, :1]), dtype="float64"),
    metric("R2Score", (TRUTH.astype(np.float64), NUMBERS.astype(np.float64)), dtype="float64"),
    metric("R2Score", (np.ones((3, 1), np.float32), NUMBERS[:3, :1])),
    metric("R2Score", (FLAGS, SCORES)),
    metric("R2Score", (TRUTH, NUMBERS), class_aggregation="mean"),
    metric("R2Score", (TRUTH, NUMBERS), num_regressors=-1),
]


def _wrapped(tf: Any, kind: Any, row: Row) -> Any:
    fn = getattr(tf.keras.losses, row.kwargs["fn"])
    return gathered(tf, kind, replace(row, kwargs={**row.kwargs, "fn": fn}))


WRAPPED = [
    Row(
        "MeanMetricWrapper",
        {"fn": fn, "name": name},
        [(TRUTH, NUMBERS), (TRUTH, NUMBERS, WEIGHT)],
        _wrapped,
    )
    for fn, name in (("mean_squared_error", None), ("huber", "close"))
]
FUNCTIONS = [
    function("binary_accuracy", BITS, CHANCES),
    function("binary_accuracy", BITS, CHANCES, threshold=0.7),
    function("categorical_accuracy", ONE_HOT, SHARES),
    function("sparse_categorical_accuracy", CLASSES, SHARES),
    function("sparse_categorical_accuracy", CLASSES[:, None], SHARES),
    function("sparse_categorical_accuracy", IMAGE_CLASSES, IMAGE),
    function("top_k_categorical_accuracy", ONE_HOT, SHARES, k=2),
    function("top_k_categorical_accuracy", ONE_HOT, SHARES),
    function("sparse_top_k_categorical_accuracy", CLASSES, SHARES, k=2),
    function("sparse_top_k_categorical_accuracy", CLASSES[:, None], SHARES, k=1),
    function("sparse_top_k_categorical_accuracy", IMAGE_CLASSES, IMAGE, k=2),
    *[
        function(name, np.abs(TRUTH), np.abs(NUMBERS))
        for name in """KLD kld kl_divergence kullback_leibler_divergence MSE mse mean_squared_error
        MAE mae mean_absolute_error MAPE mape mean_absolute_percentage_error MSLE msle
        mean_squared_logarithmic_error log_cosh logcosh poisson hinge squared_hinge""".split()
    ],
    *[
        function(name, BITS, CHANCES)
        for name in ("binary_crossentropy", "binary_focal_crossentropy")
    ],
    *[
        function(name, ONE_HOT, SHARES)
        for name in ("categorical_crossentropy", "categorical_focal_crossentropy")
    ],
    function("sparse_categorical_crossentropy", CLASSES, SHARES),
]
ROWS = [
    *MEANS,
    *ACCURACIES,
    *LOSSES,
    *CONFUSION,
    *BEST,
    *AREAS_UNDER,
    *OVERLAPS,
    *SCORED,
    *EXPLAINED,
    *WRAPPED,
    *FUNCTIONS,
]
