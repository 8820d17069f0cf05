"""What tables cannot say of metrics: files, copies, how they run inside a function."""

import copy

import numpy as np
import pytest

import runnel as tf
from runnel.keras.metrics.confusion import are_even, even_thresholds

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(16, 3)).astype(np.float32)
BITS = (X[:, :1] > 0).astype(np.float32)
FLAGS = RANDOM.integers(0, 2, 50).astype(np.float32)
SCORES = RANDOM.uniform(size=50).astype(np.float32)


def metric_objects():
    m = tf.keras.metrics
    return [
        m.AUC(num_thresholds=7),
        m.AUC(name="weighed", multi_label=True, num_labels=1, label_weights=[2.0]),
        m.Precision(thresholds=[0.3, 0.6]),
        m.RecallAtPrecision(0.5, num_thresholds=9),
        m.MeanIoU(2, ignore_class=5),
        m.F1Score(threshold=0.5),
        m.RootMeanSquaredError(),
        m.R2Score(),
        "accuracy",
        "mae",
    ]


def watched_model():
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, "sigmoid", input_shape=(3,))])
    model.compile("sgd", "binary_crossentropy", metrics=metric_objects())
    return model


@pytest.mark.parametrize("kind", ["model.keras", "model.h5", "folder"])
@pytest.mark.filterwarnings("ignore")
def test_a_loaded_model_tells_the_same(tmp_path, kind):
    model = watched_model()
    told = model.evaluate(X, BITS, verbose=0, return_dict=True)
    model.save(tmp_path / kind)
    again = tf.keras.models.load_model(tmp_path / kind).evaluate(
        X, BITS, verbose=0, return_dict=True
    )
    assert list(again) == list(told)
    for name in told:
        np.testing.assert_allclose(again[name], told[name], rtol=1e-5, err_msg=name)


def test_the_state_of_a_metric_is_in_a_checkpoint(tmp_path):
    metric, other = tf.keras.metrics.AUC(num_thresholds=5), tf.keras.metrics.AUC(num_thresholds=5)
    metric.update_state(FLAGS, SCORES)
    path = tf.train.Checkpoint(metric=metric).save(tmp_path / "state")
    tf.train.Checkpoint(metric=other).restore(path).assert_consumed()
    assert float(other.result()) == float(metric.result()) > 0


UPDATES = {
    "Mean": (lambda: tf.keras.metrics.Mean(), (SCORES,)),
    "AUC": (lambda: tf.keras.metrics.AUC(), (FLAGS, SCORES)),
    "AUC of labels": (
        lambda: tf.keras.metrics.AUC(multi_label=True, curve="PR"),
        (FLAGS[:, None], SCORES[:, None]),
    ),
    "Precision": (
        lambda: tf.keras.metrics.Precision(top_k=1, class_id=0),
        (FLAGS[:, None], SCORES[:, None]),
    ),
    "SensitivityAtSpecificity": (
        lambda: tf.keras.metrics.SensitivityAtSpecificity(0.5),
        (FLAGS, SCORES),
    ),
    "MeanIoU": (lambda: tf.keras.metrics.MeanIoU(2, ignore_class=1), (FLAGS, FLAGS[::-1].copy())),
    "F1Score": (
        lambda: tf.keras.metrics.F1Score(average="macro"),
        (FLAGS[:, None], SCORES[:, None]),
    ),
    "R2Score": (
        lambda: tf.keras.metrics.R2Score(num_regressors=2),
        (FLAGS[:, None], SCORES[:, None]),
    ),
}


@pytest.mark.parametrize("name", UPDATES)
def test_an_update_and_its_result_are_one_compiled_program(name):
    make, batch = UPDATES[name]
    metric = make()

    @tf.function(jit_compile=True)
    def step(*batch):
        metric.update_state(*batch)
        return metric.result()

    got = step(*map(tf.constant, batch))
    plain = make()
    plain.update_state(*batch)
    np.testing.assert_allclose(got, plain.result(), rtol=1e-5)
    assert "1 segment" in str(step.explain())


def test_a_copy_has_a_state_of_its_own():
    metric = tf.keras.metrics.Mean(name="average")
    metric.update_state([1.0, 3.0])
    made = copy.deepcopy(metric)
    metric.update_state(100.0)
    assert (made.name, float(made.result())) == ("average", 2.0)


def test_even_thresholds_count_as_the_comparison_with_each():
    thresholds = even_thresholds(9)
    assert are_even(thresholds) and not are_even([0.0, 0.4, 1.0])
    even = tf.keras.metrics.TruePositives(thresholds)
    each = [tf.keras.metrics.TruePositives(t) for t in thresholds]
    grid = np.concatenate([SCORES, thresholds]).astype(np.float32)
    ones = np.ones_like(grid)
    assert even(ones, grid).numpy().tolist() == [float(one(ones, grid)) for one in each]


def test_an_old_name_of_reset_is_still_called():
    class Old(tf.keras.metrics.Sum):
        def reset_states(self):
            self.total.assign(-1.0)

    metric = Old()
    with pytest.warns(UserWarning, match="reset_state"):
        metric.reset_state()
    assert float(metric.result()) == -1.0


def test_a_result_that_is_a_variable_becomes_a_tensor():
    class Last(tf.keras.metrics.Metric):
        def __init__(self):
            super().__init__(name="last")
            self.value = self.add_weight("value", initializer="zeros")

        def update_state(self, value):
            self.value.assign(value)

        def result(self):
            return self.value

    metric = Last()
    before = metric(1.0)
    metric.update_state(2.0)
    assert isinstance(before, tf.Tensor) and float(before) == 1.0


def test_a_metric_keeps_its_state_in_float32_under_mixed_precision():
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        metric = tf.keras.metrics.Mean()
        metric.update_state(tf.constant([1.0, 2.0], tf.float16))
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")
    assert metric.dtype == "float32" and metric.result().dtype == tf.float32


def test_weights_that_do_not_fit_are_refused_by_name():
    metric = tf.keras.metrics.Precision()
    with pytest.raises(ValueError, match="weights can not be broadcast to values"):
        metric.update_state(FLAGS, SCORES, sample_weight=[1.0, 2.0, 3.0])


def test_ragged_and_dense_inputs_do_not_mix():
    rows = tf.ragged.constant([[1.0], [0.0, 1.0]])
    with pytest.raises(TypeError, match="RaggedTensor"):
        tf.keras.metrics.Mean().update_state(rows, sample_weight=[1.0, 2.0])
