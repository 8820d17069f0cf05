"""What the tables of layers cannot say: code in configs, older arguments, layers not ready yet."""

import json
import zipfile
from typing import Any

import numpy as np
import pytest

import runnel as tf

layers = tf.keras.layers
X = np.float32([[1, -2]])
SCALE = 3.0


def scaled(x: Any, by: float = 2.0) -> Any:
    return x * by * SCALE


def saved_and_loaded(model: Any, path: Any, **kwargs: Any) -> Any:
    model.save(path)
    return tf.keras.models.load_model(path, compile=False, **kwargs)


def test_a_lambda_layer_is_written_as_keras_writes_it(tmp_path):
    model = tf.keras.Sequential([tf.keras.Input((2,)), layers.Lambda(lambda x: x + 1)])
    model.save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as file:
        config = json.loads(file.read("config.json"))["config"]["layers"][1]["config"]
    code, defaults, closure = config["function"]
    assert isinstance(code, str) and defaults is None and closure is None
    assert (config["function_type"], config["module"]) == ("lambda", __name__)


@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5")
@pytest.mark.parametrize("ending", [".keras", ".h5", ""])
def test_a_function_with_a_name_comes_back_with_defaults_and_globals(ending, tmp_path):
    model = tf.keras.Sequential([tf.keras.Input((2,)), layers.Lambda(scaled)])
    again = saved_and_loaded(model, tmp_path / f"m{ending}", safe_mode=False)
    np.testing.assert_array_equal(again(X), [[6, -12]])


def test_a_model_with_a_lambda_can_be_cloned_but_not_read_from_json():
    wrapped = layers.TimeDistributed(layers.Lambda(lambda x: x + 1))
    model = tf.keras.Sequential([tf.keras.Input((3, 2)), wrapped, layers.Lambda(lambda x: -x)])
    clone = tf.keras.models.clone_model(model)
    np.testing.assert_array_equal(clone(tf.zeros([1, 3, 2])), -np.ones((1, 3, 2)))
    with pytest.raises(ValueError, match="safe_mode"):
        tf.keras.models.model_from_json(model.to_json())


def test_a_lambda_layer_may_not_make_variables():
    with pytest.raises(ValueError, match="created within a Lambda layer"):
        layers.Lambda(lambda x: x * tf.Variable(2.0))(X)


def test_a_lambda_layer_warns_once_of_variables_it_does_not_know(caplog):
    variable = tf.Variable(2.0)
    layer = layers.Lambda(lambda x: x * variable)
    layer(X), layer(X)
    assert [record.message for record in caplog.records if "does not track" in record.message] == [
        record.message for record in caplog.records
    ]
    assert len(caplog.records) == 1


def test_shapes_of_a_lambda_may_be_given_or_computed():
    shapes = [(3, 4), (5,)]
    made = layers.Lambda(lambda x: [x, x], output_shape=shapes).compute_output_shape((7, 2))
    assert made == [tf.TensorShape([7, 3, 4]), tf.TensorShape([7, 5])]
    seen = []
    layers.Lambda(lambda x: x, output_shape=lambda s: seen.append(s) or s).compute_output_shape(
        tf.TensorShape([7, 2])
    )
    assert seen == [(7, 2)]


def test_attention_takes_its_older_argument_for_a_causal_mask():
    x = tf.constant(np.random.default_rng(0).normal(size=(1, 3, 2)), tf.float32)
    want = layers.Attention()([x, x], use_causal_mask=True)
    np.testing.assert_array_equal(layers.Attention(causal=True)([x, x]), want)


def test_the_mask_of_queries_stays_with_the_outputs_of_attention_beside_scores():
    embedding = layers.Embedding(9, 4, mask_zero=True)
    query = embedding(tf.constant([[1, 2, 0]]))
    outputs, scores = layers.MultiHeadAttention(2, 3)(query, query, return_attention_scores=True)
    assert outputs._keras_mask.numpy().tolist() == [[True, True, False]]
    assert scores.shape == (1, 2, 3, 3)


@pytest.mark.parametrize("kind", [layers.StringLookup, layers.TextVectorization])
def test_words_are_not_looked_up_before_there_are_any(kind):
    layer = kind()
    symbol = tf.keras.Input((1,), dtype=tf.string)
    model = tf.keras.Model(symbol, layer(symbol))  # may be built before
    with pytest.raises(tf.errors.FailedPreconditionError, match="adapt"):
        layer(tf.constant(["a"]))
    layer.adapt(["b", "a"])
    assert model(tf.constant([["zz"]])).numpy().max() <= 1


@pytest.mark.parametrize(
    "name, arguments, error",
    [
        ("LayerNormalization", {"axis": "a"}, TypeError),
        ("BatchNormalization", {"axis": 1.5}, TypeError),
        ("BatchNormalization", {"renorm": True, "renorm_clipping": {"x": 1}}, ValueError),
        ("MaxPooling1D", {"pool_size": 2.5}, ValueError),
        ("Dot", {"axes": "a"}, TypeError),
        ("UpSampling2D", {"interpolation": "x"}, NotImplementedError),
    ],
)
def test_a_wrong_argument_has_keras_class_of_error(name, arguments, error):
    with pytest.raises(error):
        getattr(layers, name)(**arguments)


def test_a_cell_says_the_sizes_of_its_states_in_a_list():
    cells = layers.StackedRNNCells([layers.LSTMCell(3), layers.GRUCell(2)])
    assert cells.state_size == ([3, 3], 2)


def test_a_feature_space_comes_back_from_a_file_with_what_it_has_learnt(tmp_path):
    space = tf.keras.utils.FeatureSpace
    kinds = {"a": space.string_categorical(), "n": space.float_normalized()}
    made = space(kinds)
    made.adapt(tf.data.Dataset.from_tensor_slices({"a": ["x", "y", "x"], "n": [1.0, 2.0, 3.0]}))
    made.save(tmp_path / "space.keras")
    with zipfile.ZipFile(tmp_path / "space.keras") as file:
        feature = json.loads(file.read("config.json"))["config"]["features"]["a"]
    assert feature["module"] == "tf_keras.src.utils.feature_space"
    again = tf.keras.models.load_model(tmp_path / "space.keras")
    np.testing.assert_array_equal(again({"a": "y", "n": 3.0}), made({"a": "y", "n": 3.0}))


def test_states_in_a_dict_are_refused():
    class Cell(layers.Layer):
        state_size = {"a": 2}

        def call(self, inputs: Any, states: Any) -> Any:
            return inputs, states

    with pytest.raises(TypeError, match="state_size"):
        layers.RNN(Cell())(tf.ones([1, 2, 2]))


def test_weights_of_two_columns_are_saved_under_the_names_of_the_columns():
    from tests.keras.tables.own_layers import own_layers

    column = own_layers(tf)["Scaled"]
    layer = layers.DenseFeatures([column("a"), column("b")])
    layer({"a": tf.ones([2, 1]), "b": tf.ones([2, 1])})
    names = {name for name, _ in layer._trackable_children().items()}
    assert {"scaled_a/w", "scaled_b/w"} <= names and "w" not in names


@pytest.mark.parametrize("space", [tf.keras.losses, tf.keras.metrics])
def test_a_function_is_serialized_as_keras_does(space):
    saved = space.serialize(space.mean_squared_error)
    want = {"module": "builtins", "class_name": "function", "config": "mean_squared_error"}
    assert saved == want | {"registered_name": "function"}
    assert space.deserialize(saved) is space.mean_squared_error
    assert space.serialize(space.mean_squared_error, use_legacy_format=True) == saved["config"]
