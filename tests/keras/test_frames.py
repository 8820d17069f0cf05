"""Frames and series of pandas, or whatever has `to_numpy`, as data."""

import numpy as np
import pytest

import runnel as tf

COLUMNS = {"a": [1.0, 2.0, 3.0, 4.0], "b": [0.5, 0.0, 0.5, 1.0]}
ARRAY = np.array(list(COLUMNS.values()), np.float32).T
LABELS = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)


class Frame:
    """As much of a frame as Keras needs."""

    def __init__(self, columns):
        self._columns = columns
        self.shape = (4, len(columns))

    def to_numpy(self):
        return np.array(list(self._columns.values())).T  # float64

    def __len__(self):
        return self.shape[0]


class Series(Frame):
    def __init__(self, values):
        self._values, self.shape = values, (len(values),)

    def to_numpy(self):
        return np.array(self._values)


def stand_ins():
    return Frame(COLUMNS), Series([1.0, 2.0, 3.0, 4.0]), Series([1, 2, 1, 2])


def of_pandas():
    pandas = pytest.importorskip("pandas")
    weights = pandas.Series([1, 2, 1, 2], index=[9, 8, 7, 6])
    return pandas.DataFrame(COLUMNS, index=[9, 8, 7, 6]), pandas.Series([1.0, 2, 3, 4]), weights


def model():
    made = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    made.set_weights([np.ones((2, 1)), np.zeros(1)])
    made.compile("sgd", "mse", run_eagerly=True)
    return made


@pytest.mark.parametrize("make", [stand_ins, of_pandas])
def test_frames_are_data_as_arrays_are(make):
    frame, series, weights = make()
    one, other = model(), model()
    options = {"shuffle": False, "verbose": 0, "batch_size": 2, "validation_split": 0.5}
    seen = one.fit(frame, series, sample_weight=weights, **options).history
    wanted = other.fit(ARRAY, LABELS[:, 0], sample_weight=np.array([1, 2, 1, 2]), **options).history
    assert seen == wanted and set(seen) == {"loss", "val_loss"}
    assert one.evaluate(frame, series, verbose=0) == other.evaluate(ARRAY, LABELS, verbose=0)
    predicted = one.predict(frame, verbose=0)
    assert predicted.dtype == np.float32
    np.testing.assert_array_equal(predicted, other.predict(ARRAY, verbose=0))
    assert one.train_on_batch(frame, series) == other.train_on_batch(ARRAY, LABELS)


@pytest.mark.parametrize("make", [stand_ins, of_pandas])
def test_a_dict_of_series_is_inputs_by_name(make):
    _, series, _ = make()
    a, b = tf.keras.Input((1,), name="a"), tf.keras.Input((1,), name="b")
    both = tf.keras.Model([a, b], tf.keras.layers.Add()([a, b]))
    both.compile("sgd", "mse", run_eagerly=True)
    predicted = both.predict({"a": series, "b": series}, verbose=0)
    np.testing.assert_array_equal(predicted[:, 0], [2, 4, 6, 8])
