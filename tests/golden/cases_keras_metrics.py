"""Metrics in models: names as `compile` understands them, objects, weights, several outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

RANDOM = np.random.default_rng(21)
X = RANDOM.normal(size=(24, 4)).astype(np.float32)
BITS = (X.sum(axis=1, keepdims=True) > 0).astype(np.float32)
CLASSES = RANDOM.integers(0, 3, (24, 1))
ONE_HOT = np.eye(3, dtype=np.float32)[CLASSES[:, 0]]
NUMBERS = RANDOM.normal(size=(24, 2)).astype(np.float32)
WEIGHT = RANDOM.uniform(size=24).astype(np.float32)


def _model(tf: Any, *sizes: int, activation: Any = None) -> Any:
    """A model that always has the same weights, and as many outputs as sizes."""
    inputs = tf.keras.Input((4,), name="x")
    outputs = [
        tf.keras.layers.Dense(size, activation, name=f"y{i}")(inputs)
        for i, size in enumerate(sizes)
    ]
    model = tf.keras.Model(inputs, outputs[0] if len(outputs) == 1 else outputs)
    drawn = np.random.default_rng(5)
    model.set_weights([drawn.normal(size=w.shape) for w in model.get_weights()])
    return model


def _watched(tf: Any, model: Any, loss: Any, y: Any, metrics: Any, **options: Any) -> Any:
    """What evaluating and training tell, with a rate of zero so that nothing changes."""
    tf.keras.backend.clear_session()
    model.compile(tf.keras.optimizers.SGD(0.0), loss, metrics=metrics, **options)
    weight = [WEIGHT] * len(y) if isinstance(y, list) else WEIGHT
    found = model.evaluate(X, y, batch_size=12, sample_weight=weight, verbose=0, return_dict=True)
    history = model.fit(X, y, batch_size=12, epochs=1, verbose=0, shuffle=False).history
    return [_floats(found), _floats(history), model.metrics_names]


def _floats(found: dict[str, Any]) -> dict[str, Any]:
    return {name: np.float32(value) for name, value in found.items()}


def _named(tf: Any, size: int, activation: Any, y: Any, names: str) -> Any:
    """What evaluating tells when metrics are given by name."""
    tf.keras.backend.clear_session()
    model = _model(tf, size, activation=activation)
    model.compile("sgd", "mse", metrics=names.split())
    found = model.evaluate(X, y, batch_size=12, verbose=0, return_dict=True)
    return [_floats(found), model.metrics_names]


def names_for_two_classes(tf: Any) -> Any:
    names = """accuracy acc crossentropy ce binary_accuracy AUC Precision Recall TruePositives
    FalseNegatives mse MSE mae hinge binary_crossentropy poisson"""
    return _named(tf, 1, "sigmoid", BITS, names)


def names_of_classes(tf: Any) -> Any:
    names = """BinaryAccuracy BinaryCrossentropy MeanSquaredError Poisson Hinge SquaredHinge
    KLDivergence BinaryIoU TrueNegatives FalsePositives Accuracy"""
    return _named(tf, 1, "sigmoid", BITS, names)


def names_for_numbers_of_classes(tf: Any) -> Any:
    names = "accuracy acc ce SparseCategoricalAccuracy SparseCategoricalCrossentropy"
    model = _model(tf, 3, activation="softmax")
    names += " sparse_top_k_categorical_accuracy"
    model.compile("sgd", "sparse_categorical_crossentropy", metrics=names.split())
    return _floats(model.evaluate(X, CLASSES, batch_size=12, verbose=0, return_dict=True))


def names_for_one_hot_classes(tf: Any) -> Any:
    names = """accuracy ce categorical_accuracy categorical_crossentropy TopKCategoricalAccuracy
    categorical_hinge F1Score kullback_leibler_divergence"""
    return _named(tf, 3, "softmax", ONE_HOT, names)


def names_for_numbers(tf: Any) -> Any:
    names = """mse mean_squared_error mae MAE mape msle logcosh log_cosh cosine_proximity
    CosineSimilarity RootMeanSquaredError R2Score"""
    return [
        _named(tf, 2, None, NUMBERS, names),
        _named(tf, 2, None, NUMBERS, "cosine_similarity MeanSquaredError LogCoshError"),
    ]


def objects(tf: Any) -> Any:
    m = tf.keras.metrics
    metrics = [
        m.AUC(),
        m.AUC(name="area", curve="PR", thresholds=[0.3, 0.5]),
        m.Precision(thresholds=0.3),
        m.SensitivityAtSpecificity(0.5),
        m.MeanIoU(2),
        m.BinaryIoU([1], threshold=0.4),
        m.F1Score(average="micro", threshold=0.5),
        "accuracy",
        tf.keras.losses.mean_absolute_error,
    ]
    model = _model(tf, 1, activation="sigmoid")
    return _watched(tf, model, "binary_crossentropy", BITS, metrics)


def a_metric_for_each_label(tf: Any) -> Any:
    m = tf.keras.metrics
    metrics = [
        m.AUC(multi_label=True, num_thresholds=11),
        m.AUC(multi_label=True, num_labels=3, label_weights=[1.0, 2.0, 3.0], from_logits=True),
        m.Precision(top_k=1, class_id=2),
    ]
    model = _model(tf, 3, activation="softmax")
    return _watched(tf, model, "categorical_crossentropy", ONE_HOT, metrics)


def weighted_metrics(tf: Any) -> Any:
    model = _model(tf, 1, activation="sigmoid")
    weighted = ["accuracy", tf.keras.metrics.AUC(num_thresholds=20), tf.keras.metrics.Recall()]
    return _watched(tf, model, "binary_crossentropy", BITS, ["mse"], weighted_metrics=weighted)


def several_outputs(tf: Any) -> Any:
    model = _model(tf, 3, 1, activation="sigmoid")
    losses = {"y0": "mse", "y1": "binary_crossentropy"}
    metrics = {"y0": ["mae", "accuracy"], "y1": tf.keras.metrics.AUC(num_thresholds=20)}
    return _watched(tf, model, losses, [ONE_HOT, BITS], metrics)


def one_list_for_all_outputs(tf: Any) -> Any:
    model = _model(tf, 1, 1, activation="sigmoid")
    return _watched(
        tf, model, "binary_crossentropy", [BITS, BITS], ["accuracy", tf.keras.metrics.AUC(), "mae"]
    )


def a_metric_of_two_numbers(tf: Any) -> Any:
    class Range(tf.keras.metrics.Metric):
        def __init__(self, name: str = "range") -> None:
            super().__init__(name=name)
            self.low = self.add_weight("low", initializer="zeros")
            self.high = self.add_weight("high", initializer="zeros")

        def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
            if tf.reduce_min(y_pred) < self.low:
                self.low.assign(tf.reduce_min(y_pred))
            self.high.assign(tf.maximum(self.high, tf.reduce_max(y_pred)))

        def result(self) -> Any:
            return {"low": self.low, "high": self.high}

    metric = Range()
    model = _model(tf, 2)
    model.compile("sgd", "mse", metrics=[metric])
    return _floats(model.evaluate(X, NUMBERS, batch_size=12, verbose=0, return_dict=True))


def a_metric_in_python(tf: Any) -> Any:
    class Medians(tf.keras.metrics.experimental.PyMetric):
        def reset_state(self) -> None:
            self.found: list[float] = []

        def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
            self.found.append(float(np.median(y_pred.numpy())))

        def result(self) -> Any:
            return float(np.mean(self.found))

    model = _model(tf, 2)
    return _watched(tf, model, "mse", NUMBERS, [Medians(name="medians")])


def two_of_one_name(tf: Any) -> Any:
    model = _model(tf, 1, activation="sigmoid")
    return _watched(tf, model, "mse", BITS, [tf.keras.metrics.AUC(), tf.keras.metrics.AUC()])


def the_same_name_twice(tf: Any) -> Any:
    model = _model(tf, 1, activation="sigmoid")
    m = tf.keras.metrics
    return _watched(tf, model, "mse", BITS, [m.AUC(name="auc"), m.Recall(name="auc")])


def by_config(tf: Any) -> Any:
    m = tf.keras.metrics
    found = m.deserialize({"class_name": "AUC", "config": {"num_thresholds": 7, "name": "seven"}})
    same = m.get(m.serialize(m.Precision(thresholds=[0.2, 0.4], class_id=1)))
    old = m.deserialize(
        m.serialize(m.MeanIoU(3, ignore_class=2), use_legacy_format=True), use_legacy_format=True
    )
    return [list(metric.get_config().items()) for metric in (found, same, old)]


def an_average_of_gradients(tf: Any) -> Any:
    metric = tf.keras.metrics.Mean()
    x = tf.constant(X)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(x**2)
        metric.update_state(tape.gradient(loss, x))
        return metric.result()

    return [step(x), step(-x), metric.count]


def states_of_a_custom_metric(tf: Any) -> Any:
    class Count(tf.keras.metrics.Metric):
        def __init__(self) -> None:
            super().__init__(name="count", dtype="float64")
            self.seen = self.add_weight("seen", initializer="ones")

        def update_state(self, values: Any) -> None:
            self.seen.assign_add(tf.cast(tf.reduce_sum(values), self.dtype))

        def result(self) -> Any:
            return self.seen

    first, second = Count(), Count()
    first.update_state([1, 2])
    second.update_state([10, 20])
    first.merge_state([second])
    found = [first.result(), first([0.5, 0.5]), str(first), first.dtype]
    first.reset_state()
    return [*found, first.result(), [w.name for w in first.weights], first.trainable_weights]


def called_inside_a_layer(tf: Any) -> Any:
    class Watched(tf.keras.layers.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.largest = tf.keras.metrics.Mean(name="largest")

        def call(self, inputs: Any) -> Any:
            self.add_metric(self.largest(tf.reduce_max(inputs, axis=-1)))
            return inputs

    model = tf.keras.Sequential([Watched()])
    model.compile("sgd", "mse")
    return _floats(model.evaluate(X, X * 0.5, batch_size=12, verbose=0, return_dict=True))


def labels_of_unknown_rank(tf: Any) -> Any:
    column, row = BITS, X[:, 0]
    names = "MeanSquaredError RootMeanSquaredError AUC Precision BinaryAccuracy".split()
    found = []
    for name in names:
        metric = getattr(tf.keras.metrics, name)()
        specs = [tf.TensorSpec(None, tf.float32), tf.TensorSpec(None, tf.float32)]

        @tf.function(input_signature=specs)
        def traced(y_true: Any, y_pred: Any) -> Any:
            metric.update_state(y_true, y_pred)  # noqa: B023 - it is called in this turn only
            return metric.result()  # noqa: B023

        traced(tf.constant(column), tf.constant(row))
        traced(tf.constant(column[:, 0]), tf.constant(row[:, None]))
        found.append(metric.result())
    return found


def an_incompatible_merge(tf: Any) -> Any:
    return tf.keras.metrics.Mean().merge_state([tf.keras.metrics.Sum()])


def an_abstract_metric(tf: Any) -> Any:
    return tf.keras.metrics.Metric()


def a_result_that_is_no_tensor(tf: Any) -> Any:
    class Odd(tf.keras.metrics.Metric):
        def update_state(self, values: Any) -> None:
            pass

        def result(self) -> Any:
            return object()

    return Odd().result()


def a_mean_of_masked_steps(tf: Any) -> Any:
    inputs = tf.keras.Input((3, 2))
    outputs = tf.keras.layers.Masking(5.0)(inputs)
    model = tf.keras.Model(inputs, outputs)
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    x[0, 1] = 5.0
    model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mse"])
    return _floats(model.evaluate(x, x * 0.5, verbose=0, return_dict=True))
