"""Feature columns give TensorFlow's answers, and are loaded when they are asked for."""

import warnings

import pytest

import runnel as tf
from tests.children import run
from tests.golden.cases import assert_answer, cases, recorded

_ANSWERS = recorded("feature_columns")


@pytest.mark.parametrize("name, case", cases("feature_columns").items())
def test_answers(name, case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about files of older kinds
        assert_answer(case, tf, _ANSWERS[name], warnings=False)  # ours are not deprecated


def test_errors_name_the_column_and_the_way_out():
    fc = tf.feature_column
    day = fc.categorical_column_with_identity("day", 3)
    with pytest.raises(ValueError, match="embedding_column or an indicator_column"):
        tf.keras.layers.DenseFeatures([day])
    with pytest.raises(ValueError, match=r"Feature x is not in the features: \['y'\]"):
        tf.keras.layers.DenseFeatures([fc.numeric_column("x")])({"y": tf.constant([1.0])})
    with pytest.raises(ValueError, match="custom_objects"):
        tf.__internal__.feature_column.deserialize_feature_column(
            {"class_name": "Mine", "config": {}}
        )


def test_columns_of_users_are_told_of_training():
    class Mine(tf.__internal__.feature_column.DenseColumn):
        name, parents, parse_example_spec = "mine", ["x"], {}
        variable_shape = tf.TensorShape([1])

        def transform_feature(self, cache, manager, training=None):
            return cache.get("x", manager) * (2.0 if training else 1.0)

        def get_dense_tensor(self, cache, manager, training=None):
            return cache.get(self, manager, training=training)

    layer = tf.keras.layers.DenseFeatures(Mine())
    features = {"x": tf.constant([3.0])}
    assert layer(features, training=True).numpy() == [[6.0]]
    assert layer(features, training=False).numpy() == [[3.0]]


def test_sessions_fill_tables_of_their_own():
    with tf.Graph().as_default():
        words = tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([5], tf.int64))
        found = tf.lookup.StaticHashTable(words, -1).lookup(tf.constant(["a", "b"]))
        fill = tf.compat.v1.tables_initializer()
        with tf.compat.v1.Session() as first, tf.compat.v1.Session() as second:
            first.run(fill)
            assert first.run(found).tolist() == [5, -1]
            with pytest.raises(tf.errors.FailedPreconditionError):
                second.run(found)


def test_the_library_does_not_load_them():
    code = (
        "import runnel as tf, sys; tf.keras.layers; assert 'runnel.v1.columns' not in sys.modules"
    )
    run(code, check=True)
