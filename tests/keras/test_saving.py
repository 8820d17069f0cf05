"""Models as files and text, ours and tf_keras's."""

import copy
import json
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

import runnel as tf
from tests.golden.keras_models import INPUTS, LABELS, MODELS, fitted

FILES = Path(__file__).parent.parent / "golden" / "keras_files"
pytestmark = pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5")
layers = tf.keras.layers
names = pytest.mark.parametrize("name", MODELS)
extensions = pytest.mark.parametrize("extension", [".keras", ".h5"])


def predictions(name):
    return np.load(FILES / "predictions.npz")[name]


def predicted(model, name):
    model.run_eagerly = True
    model.predict_function = None
    return model.predict(INPUTS[name], verbose=0)


@names
@extensions
def test_files_of_tf_keras_load_and_training_goes_on(name, extension):
    model = tf.keras.models.load_model(FILES / f"{name}{extension}")
    np.testing.assert_allclose(predicted(model, name), predictions(name), rtol=1e-5, atol=1e-6)
    assert int(model.optimizer.iterations) == 4
    assert np.abs(model.optimizer.variables[1].numpy()).max() > 0
    model.run_eagerly = True
    model.fit(INPUTS[name], LABELS, verbose=0)
    assert int(model.optimizer.iterations) == 5


@names
@pytest.mark.parametrize("ending", [".weights.h5", "_checkpoint", ".h5", ".keras"])
def test_weights_of_tf_keras_load(name, ending):
    model = MODELS[name](tf)
    model.compile("adam", "mse", run_eagerly=True)
    model.optimizer.build(model.trainable_variables)
    model.load_weights(FILES / f"{name}{ending}")
    np.testing.assert_allclose(predicted(model, name), predictions(name), rtol=1e-5, atol=1e-6)


@names
@extensions
def test_a_saved_model_comes_back_to_the_last_bit(name, extension, tmp_path):
    model = fitted(tf, MODELS[name](tf), name)
    path = tmp_path / f"model{extension}"
    model.save(path)
    again = tf.keras.models.load_model(path)
    for mine, other in zip(model.get_weights(), again.get_weights(), strict=True):
        np.testing.assert_array_equal(mine, other)
    for mine, other in zip(model.optimizer.variables, again.optimizer.variables, strict=True):
        np.testing.assert_array_equal(mine.numpy(), other.numpy())
    again.run_eagerly = True
    tf.keras.utils.set_random_seed(1)
    one = model.fit(INPUTS[name], LABELS, shuffle=False, verbose=0).history
    tf.keras.utils.set_random_seed(1)
    two = again.fit(INPUTS[name], LABELS, shuffle=False, verbose=0).history
    assert one == two


@pytest.mark.parametrize("ending", [".weights.h5", ".h5", ""])
def test_weights_come_back(ending, tmp_path):
    model, other = MODELS["functional"](tf), MODELS["functional"](tf)
    path = tmp_path / f"weights{ending}"
    model.save_weights(path)
    other.load_weights(path)
    for mine, theirs in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@names
def test_text_comes_back(name):
    model = MODELS[name](tf)
    again = tf.keras.models.model_from_json(model.to_json())
    assert json.loads(again.to_json()) == json.loads(model.to_json())


def test_pickles_and_deep_copies():
    model = MODELS["sequential"](tf)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        np.testing.assert_array_equal(
            predicted(other, "sequential"), predicted(model, "sequential")
        )


class Twice(layers.Layer):
    def call(self, inputs):
        return 2 * inputs


def test_a_custom_layer_is_named_when_it_is_loaded(tmp_path):
    model = tf.keras.Sequential([Twice(input_shape=(2,))])
    model.save(tmp_path / "m.keras")
    with pytest.raises(TypeError, match=r"Could not locate class 'Twice'"):
        tf.keras.models.load_model(tmp_path / "m.keras")
    objects = {"Twice": Twice}
    again = tf.keras.models.load_model(tmp_path / "m.keras", custom_objects=objects)
    assert again(np.ones((1, 2))).numpy().tolist() == [[2.0, 2.0]]
    with tf.keras.utils.custom_object_scope(objects):
        assert tf.keras.models.load_model(tmp_path / "m.keras").built


def test_a_registered_model_of_ones_own_is_loaded_without_help(tmp_path):
    @tf.keras.utils.register_keras_serializable("tests")
    class Own(tf.keras.Model):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.units = units
            self.dense = layers.Dense(units)

        def call(self, x):
            return self.dense(x)

        def get_config(self):
            return {"units": self.units}

    model = Own(3)
    x = np.ones((2, 4), np.float32)
    want = model(x).numpy()
    model.save(tmp_path / "own.keras")
    again = tf.keras.models.load_model(tmp_path / "own.keras")
    np.testing.assert_array_equal(again(x), want)


def test_no_code_from_a_file_runs_unless_asked_for(tmp_path):
    model = tf.keras.Sequential([layers.Lambda(lambda x: x + 1, input_shape=(2,))])
    model.save(tmp_path / "m.keras")
    with pytest.raises(ValueError, match="safe_mode=False"):
        tf.keras.models.load_model(tmp_path / "m.keras")
    again = tf.keras.models.load_model(tmp_path / "m.keras", safe_mode=False)
    assert again(np.zeros((1, 2))).numpy().tolist() == [[1.0, 1.0]]


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "m.keras"
    MODELS["sequential"](tf).save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(OSError, match="cut short"):
        tf.keras.models.load_model(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", "{}")
    with pytest.raises((ValueError, TypeError)):
        tf.keras.models.load_model(path)
    with pytest.raises(OSError, match="No file or directory"):
        tf.keras.models.load_model(tmp_path / "nothing.keras")


def test_a_failed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "m.keras"
    model = MODELS["sequential"](tf)
    model.save(path)
    before = path.read_bytes()

    class Fails(layers.Layer):
        def call(self, x):
            return x

        def save_own_variables(self, store):
            raise OSError("no space left")

    broken = tf.keras.Sequential([Fails(input_shape=(2,))])
    with pytest.raises(OSError, match="no space"):
        broken.save(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_weights_of_a_layer_whose_build_does_not_say_so_are_made_once(tmp_path):
    class Stretch(tf.keras.layers.Layer):
        def build(self, input_shape):
            self.scale = self.add_weight("scale", input_shape[-1:], initializer="ones")

        def call(self, inputs):
            return inputs * self.scale

    model = tf.keras.Sequential([tf.keras.Input((2,)), Stretch()])
    model.save(tmp_path / "m.keras")
    loaded = tf.keras.models.load_model(tmp_path / "m.keras", {"Stretch": Stretch})
    assert len(loaded.weights) == 1


def test_a_folder_can_be_saved_without_the_calls_of_layers(tmp_path):
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    x = np.ones((1, 2), np.float32)
    model.save(tmp_path / "m", save_traces=False)
    np.testing.assert_array_equal(tf.keras.models.load_model(tmp_path / "m")(x), model(x))
    plain = tf.saved_model.load(tmp_path / "m")
    assert not hasattr(plain, "call_and_return_conditional_losses")
    (served,) = plain.signatures["serving_default"](tf.constant(x)).values()
    np.testing.assert_allclose(served, model(x))


def test_a_loaded_h5_model_knows_its_metrics(tmp_path):
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"])
    model.fit(np.ones((2, 2)), np.ones((2, 1)), verbose=0)
    with pytest.warns(UserWarning, match="legacy"):
        model.save(tmp_path / "m.h5")
    assert tf.keras.models.load_model(tmp_path / "m.h5").metrics_names == ["loss", "mae"]


@pytest.mark.filterwarnings("ignore:You are saving")
def test_h5_files_are_for_models_of_layers_whose_weights_exist(tmp_path):
    class Own(tf.keras.Model):
        def call(self, inputs):
            return inputs

        def get_config(self):
            return {}

    with pytest.raises(NotImplementedError, match="subclassed"):
        Own().save(tmp_path / "m.h5")
    with pytest.raises(ValueError, match="not yet been created"):
        tf.keras.Sequential([tf.keras.layers.Dense(1)]).save(tmp_path / "m.h5")


@tf.keras.saving.register_keras_serializable("ours")
class Tripled(layers.Layer):
    def call(self, inputs):
        return inputs * 3


@extensions
def test_a_registered_layer_is_known_by_its_package(extension, tmp_path):
    x = tf.keras.Input((2,))
    tf.keras.Model(x, Tripled()(x)).save(tmp_path / f"m{extension}")
    loaded = tf.keras.models.load_model(tmp_path / f"m{extension}", compile=False)
    assert isinstance(loaded.layers[1], Tripled)


@extensions
def test_functions_with_arguments_without_names_come_back(extension, tmp_path):
    x = tf.keras.Input((2,), batch_size=2)
    model = tf.keras.Model(x, [tf.einsum("ij,kj->ik", x, [[1.0, 2.0]]), *tf.meshgrid(x[0], x[1])])
    model.save(tmp_path / f"m{extension}")
    values = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    loaded = tf.keras.models.load_model(tmp_path / f"m{extension}", compile=False)
    for ours, theirs in zip(loaded(values), model(values), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("ending", ["m.keras", "m.h5", "m"])
def test_the_tail_of_a_model_is_saved_alone(ending, tmp_path):
    whole = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(3), layers.Dense(2)])
    head = tf.keras.Model(whole.input, whole.layers[0].output)
    tail = tf.keras.Model(whole.layers[1].input, whole.output)
    tail.save(tmp_path / ending)
    x = np.ones((1, 4), np.float32)
    loaded = tf.keras.models.load_model(tmp_path / ending, compile=False)
    np.testing.assert_allclose(loaded(head(x)), whole(x), rtol=1e-6)


def test_the_native_format_has_an_ending_of_its_own(tmp_path):
    model = tf.keras.Sequential([tf.keras.Input((4,)), layers.Dense(3)])
    with pytest.raises(ValueError, match=r"must end with \.keras"):
        model.save(tmp_path / "m", save_format="keras")


def test_weights_that_do_not_exist_are_not_saved(tmp_path):
    with pytest.raises(ValueError, match="not yet been created"):
        tf.keras.Sequential([layers.Dense(1)]).save_weights(tmp_path / "checkpoint")


def test_functions_of_ones_own_in_an_h5_file_are_found_by_custom_objects(tmp_path):
    def halved(x):
        return x / 2

    model = tf.keras.Sequential([layers.Dense(2, activation=halved, input_shape=(3,))])
    model.compile("sgd", "mse")
    x = np.ones((1, 3), np.float32)
    model.fit(x, x[:, :2], verbose=0)
    model.save(tmp_path / "m.h5")
    loaded = tf.keras.models.load_model(tmp_path / "m.h5", custom_objects={"halved": halved})
    np.testing.assert_array_equal(loaded(x), model(x))
    with pytest.raises(TypeError, match="halved"):
        tf.keras.models.load_model(tmp_path / "m.h5")
