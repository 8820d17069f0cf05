"""Keras models as SavedModel folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.keras.saving.files.saved_functions import trace_model_call
from tests.golden import saved_model_answers as answers
from tests.golden.keras_models import (
    INPUTS,
    MODELS,
    OWN_INPUT,
    OWN_OUTPUTS,
    fitted,
    of_own_layers,
)

FILES = Path(__file__).parents[1] / "golden" / "keras_files"
WRITERS = {
    "saved_model": lambda model, folder: tf.saved_model.save(model, folder),
    "save": lambda model, folder: model.save(folder, save_format="tf"),
}


def given(name: str) -> Any:
    return tf.nest.map_structure(lambda x: tf.cast(x, tf.float32), INPUTS[name])


@pytest.fixture(scope="module", params=MODELS)
def trained(request: Any) -> tuple[str, Any]:
    return request.param, fitted(tf, MODELS[request.param](tf), request.param)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_folder_is_loaded_as_a_function_with_gradients(trained, writer, tmp_path) -> None:
    name, model = trained
    WRITERS[writer](model, tmp_path / "m")
    loaded, x = tf.saved_model.load(tmp_path / "m"), given(name)
    np.testing.assert_allclose(loaded(x), model(x), atol=1e-6)
    np.testing.assert_allclose(loaded(x, training=False), model(x), atol=1e-6)
    assert [v.name for v in loaded.variables] == [v.name for v in model.variables]
    assert len(loaded.trainable_variables) == len(model.trainable_variables)
    np.testing.assert_allclose([f() for f in loaded.regularization_losses], model.losses, rtol=1e-6)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(loaded(x, training=True) ** 2)
    assert all(g is not None for g in tape.gradient(y, loaded.trainable_variables))


def test_the_default_signature_has_the_names_of_the_layers(trained, tmp_path) -> None:
    name, model = trained
    tf.saved_model.save(model, tmp_path)
    serve = tf.saved_model.load(tmp_path).signatures["serving_default"]
    assert set(serve.structured_input_signature[1]) == set(model.input_names)
    x = given(name)
    found = serve(**(x if isinstance(x, dict) else {model.input_names[0]: x}))
    assert list(found) == model.output_names
    np.testing.assert_allclose(found[model.output_names[0]], model(x), atol=1e-6)


def test_an_exported_model_has_the_function_serve(trained, tmp_path) -> None:
    name, model = trained
    model.export(tmp_path / "m")
    loaded, x = tf.saved_model.load(tmp_path / "m"), given(name)
    np.testing.assert_allclose(loaded.serve(x), model(x), atol=1e-6)
    assert set(loaded.signatures) == {"serve", "serving_default"}
    assert list(loaded.signatures["serve"].structured_outputs) == ["output_0"]
    assert not hasattr(loaded, "optimizer")


def test_load_model_restores_weights_optimizer_and_compile_arguments(trained, tmp_path) -> None:
    name, model = trained
    model.save(tmp_path / "m", save_format="tf")
    loaded = tf.keras.models.load_model(tmp_path / "m")
    assert type(loaded) is type(model) and loaded.get_config() == model.get_config()
    for ours, theirs in zip(loaded.weights, model.weights, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(loaded(given(name)), model(given(name)))
    assert len(loaded.optimizer.variables) == len(model.optimizer.variables) > 2
    for ours, theirs in zip(loaded.optimizer.variables, model.optimizer.variables):
        np.testing.assert_array_equal(ours, theirs)
    assert type(loaded.loss) is type(model.loss)
    assert loaded.loss.get_config()["from_logits"] == model.loss.get_config()["from_logits"]
    assert tf.keras.models.load_model(tmp_path / "m", compile=False).optimizer is None


class Attended(tf.keras.Model):
    """A model with a second argument, which adds a loss in its call."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dense = tf.keras.layers.Dense(2)

    def call(self, inputs: Any, memory: Any, training: Any = None) -> Any:
        self.add_loss(tf.reduce_mean(memory))
        y = self.dense(inputs) + memory
        return {"sum": y, "mode": tf.constant(3.0 if training else 1.0)}


def test_a_subclassed_model_is_saved_with_the_arguments_of_its_first_call(tmp_path) -> None:
    model = Attended()
    x, memory = tf.ones([2, 3]), tf.ones([2, 2])
    y = model(x, memory)
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    np.testing.assert_allclose(loaded(x, memory)["sum"], y["sum"], rtol=1e-6)
    assert loaded(tf.ones([5, 3]), tf.ones([5, 2]), training=True)["mode"] == 3.0
    _, losses = loaded.call_and_return_conditional_losses(x, 4 * memory, training=False)
    np.testing.assert_allclose(losses, [4.0])
    np.testing.assert_allclose(model.losses, [1.0])  # those of the last call, not of the saving
    names = set(loaded.signatures["serving_default"].structured_input_signature[1])
    assert names == {"args_0", "args_1"}


def test_the_specs_of_a_call_are_known_after_the_first(tmp_path) -> None:
    model = Attended()
    assert model.save_spec() is None
    model(tf.ones([2, 3]), tf.ones([2, 2]))
    args, kwargs = model.save_spec()
    assert args == [tf.TensorSpec([None, 3], name="input_1"), tf.TensorSpec([None, 2])]
    assert kwargs == {}
    assert model.save_spec(dynamic_batch=False)[0][0].shape == (2, 3)


def test_a_model_of_unknown_inputs_cannot_be_saved(tmp_path) -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    with pytest.raises(ValueError, match="cannot be saved"):
        model.save(tmp_path / "m", save_format="tf")
    with pytest.raises(ValueError, match="built before export"):
        model.export(tmp_path / "m")
    tf.saved_model.save(model, tmp_path / "m")  # without functions, as in TensorFlow
    assert not callable(tf.saved_model.load(tmp_path / "m"))


def test_tensorflow_and_tf_keras_loaded_all_of_them() -> None:
    checked = json.loads((FILES / "folders_loaded_by_tensorflow.json").read_text())
    files = ("keras in tf_keras", "model.keras in tf_keras", "model.h5 in tf_keras")
    ways = ("saved", "keras", "exported", *files)
    wanted = {f"{name} {way}" for name in MODELS for way in ways} | {"words in tf_keras"}
    wanted |= {f"{name} in tf_keras" for name in OWN_OUTPUTS}
    assert set(checked["models"]) == wanted
    assert set(checked["models"].values()) == {"ok"} and checked["tensorflow"].startswith("2.")


@pytest.mark.parametrize("path", sorted(answers.FOLDER.glob("keras_*.zip")), ids=lambda p: p.stem)
def test_a_folder_of_tf_keras_becomes_a_model(path, tmp_path) -> None:
    recorded = answers.unpack(path.stem, tmp_path)
    model = tf.keras.models.load_model(tmp_path)
    assert isinstance(model, tf.keras.Model) and model.built
    plain = tf.saved_model.load(tmp_path)
    assert [v.shape for v in model.variables] == [v.shape for v in plain.variables]
    for ours, theirs in zip(model.variables, plain.variables, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert recorded


@tf.keras.saving.register_keras_serializable("Tests")
class Registered(tf.keras.Model):
    def __init__(self, units: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.units = units
        self.dense = tf.keras.layers.Dense(units)

    def call(self, inputs: Any, training: Any = None) -> Any:
        return self.dense(inputs)

    def get_config(self) -> dict[str, Any]:
        return {"units": self.units}


def test_a_registered_class_comes_back_with_its_weights(tmp_path) -> None:
    model = Registered(5)
    model.compile("sgd", "mse", metrics=[tf.keras.metrics.MeanAbsoluteError(name="far")])
    y = model(tf.ones([2, 3]))
    model.save(tmp_path / "m", save_format="tf")
    loaded = tf.keras.models.load_model(tmp_path / "m")
    assert type(loaded) is Registered
    np.testing.assert_array_equal(loaded(tf.ones([2, 3])), y)
    loaded.evaluate(np.ones([2, 3]), np.ones([2, 5]), verbose=0)
    assert loaded.metrics_names == ["loss", "far"]


def test_converters_get_a_function_with_names() -> None:
    """Names and shapes are those that TensorFlow gives."""
    q, j = tf.keras.Input([3], name="q"), tf.keras.Input([2], batch_size=4, name="j")
    outputs = [tf.keras.layers.Dense(2, name=name)(x) for name, x in (("a", q), ("b", j))]
    several = tf.keras.Model([q, j], outputs)
    called, new = Registered(5), Registered(5)
    called(tf.ones([2, 3]))
    cases = [
        (several, None, ["q:0", "j:0"], [[None, 3], [4, 2]], ["a", "b"]),
        (called, None, ["input_1:0"], [[None, 3]], ["output_1"]),
        (new, [tf.TensorSpec([6, 3])], ["args_0:0"], [[6, 3]], ["output_1"]),
    ]
    for model, signature, inputs, shapes, names in cases:
        concrete = trace_model_call(model, signature).get_concrete_function()
        given = [t for t in concrete.inputs if t.dtype is not tf.resource]
        assert [t.name for t in given] == inputs and [t.shape for t in given] == shapes
        assert sorted(concrete.structured_outputs) == names
    with pytest.raises(ValueError, match="input shape"):
        trace_model_call(Registered(5))


@pytest.mark.parametrize("writer", ["tensorflow", "runnel"])
@pytest.mark.parametrize("name", OWN_OUTPUTS)
def test_layers_of_unknown_classes_are_revived_by_their_saved_functions(
    name, writer, tmp_path
) -> None:
    own = of_own_layers(tf)[name]
    if writer == "tensorflow":
        answers.unpack(name, tmp_path)
    else:
        own.save(tmp_path, save_format="tf")
    with pytest.warns(UserWarning, match="Unable to restore custom object"):
        model = tf.keras.models.load_model(tmp_path)
    assert isinstance(model, tf.keras.Model)
    assert type(model).__name__ == type(own).__name__
    kinds = [type(layer).__name__ for layer in own.layers]
    assert [type(layer).__name__ for layer in model.layers] == kinds
    assert [v.shape for v in model.weights] == [v.shape for v in own.weights]
    x, (used, trained) = tf.constant(OWN_INPUT), OWN_OUTPUTS[name]
    np.testing.assert_allclose(model(x), used)
    np.testing.assert_allclose(model(x, training=True), trained)
    before = [w.numpy() for w in model.trainable_weights]
    model.compile("sgd", "mse")
    model.fit(x, np.float32(used) + 1.0, verbose=0)
    assert any((a != b.numpy()).any() for a, b in zip(before, model.trainable_weights, strict=True))
    assert (np.asarray(model(x)) != used).any()  # the calls use the weights that were trained


def test_a_revived_layer_has_its_config_and_can_be_called(tmp_path) -> None:
    of_own_layers(tf)["own_functional"].save(tmp_path, save_format="tf")
    with pytest.warns(UserWarning):
        layer = tf.keras.models.load_model(tmp_path).get_layer("mine")
    assert layer.get_config()["factor"] == 3.0 and type(layer).__name__ == "Scale"
    np.testing.assert_allclose(layer(tf.constant(OWN_INPUT)), [[3.0, 6.0, 9.0]])
    assert [w.shape for w in layer.weights] == [[3]]
    plain = tf.saved_model.load(tmp_path)
    np.testing.assert_allclose(plain.keras_api.layers[1](tf.constant(OWN_INPUT)), [[6.0] * 3])


def test_a_class_that_is_not_known_is_given_as_something_to_be_called(tmp_path) -> None:
    model = Attended()
    x, memory = tf.ones([2, 3]), tf.ones([2, 2])
    y = model(x, memory)["sum"]
    model.save(tmp_path / "m", save_format="tf")
    with pytest.warns(UserWarning, match="Attended"):
        loaded = tf.keras.models.load_model(tmp_path / "m")
    np.testing.assert_allclose(loaded(x, memory)["sum"], y, rtol=1e-6)
    again = tf.keras.models.load_model(tmp_path / "m", custom_objects={"Attended": Attended})
    assert type(again) is Attended
    np.testing.assert_array_equal(again(x, memory)["sum"], y)


def test_a_model_is_saved_without_its_optimizer_if_that_is_wished(tmp_path) -> None:
    model = fitted(tf, MODELS["sequential"](tf), "sequential")
    optimizer = model.optimizer
    model.save(tmp_path / "m", save_format="tf", include_optimizer=False)
    assert model.optimizer is optimizer
    assert tf.keras.models.load_model(tmp_path / "m").optimizer is None
    assert not hasattr(tf.saved_model.load(tmp_path / "m"), "optimizer")


def test_a_vocabulary_that_was_learnt_comes_back(tmp_path) -> None:
    words = tf.keras.layers.TextVectorization(output_sequence_length=3)
    words.adapt(["a b", "c b"])
    model = tf.keras.Sequential([tf.keras.Input((), dtype=tf.string), words])
    model.save(tmp_path / "m", save_format="tf")
    text = tf.constant(["a b", "c z"])
    np.testing.assert_array_equal(tf.keras.models.load_model(tmp_path / "m")(text), model(text))
    np.testing.assert_array_equal(tf.saved_model.load(tmp_path / "m")(text), model(text))


def test_the_state_of_a_generator_is_saved_with_its_layer(tmp_path) -> None:
    model = tf.keras.Sequential([tf.keras.Input((4, 4, 1)), tf.keras.layers.RandomFlip(seed=1)])
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    np.testing.assert_array_equal(loaded(x, training=False), x)
    seen = {loaded(x, training=True).numpy().tobytes() for _ in range(20)}
    assert len(seen) > 1


class Decorated(tf.keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.dense = tf.keras.layers.Dense(2)

    @tf.function
    def call(self, inputs: Any, training: Any = None) -> Any:
        return self.dense(inputs) * (2.0 if training else 1.0)


def test_a_call_that_is_a_tf_function_is_saved(tmp_path) -> None:
    model = Decorated()
    x = tf.ones([2, 3])
    y = model(x)
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    np.testing.assert_allclose(loaded(x), y, rtol=1e-6)
    np.testing.assert_allclose(loaded(x, training=True), 2 * y, rtol=1e-6)


def test_damaged_metadata_is_reported(tmp_path) -> None:
    model = MODELS["sequential"](tf)
    model.save(tmp_path / "m", save_format="tf")
    (tmp_path / "m" / "keras_metadata.pb").write_bytes(b"\x0a\xff\xff")
    with pytest.raises(tf.errors.DataLossError, match="keras_metadata"):
        tf.keras.models.load_model(tmp_path / "m")


def test_what_layers_learnt_by_adapt_comes_back(tmp_path) -> None:
    layers = tf.keras.layers
    normal, words = layers.Normalization(), layers.TextVectorization(output_mode="tf_idf")
    normal.adapt(np.arange(6.0).reshape(2, 3))
    words.adapt(["a b c", "b c d"])
    numbers, text = np.ones((2, 3), np.float32), tf.constant(["a b", "c c"])
    for number, (layer, start, data) in enumerate(
        [
            (normal, tf.keras.Input((3,)), numbers),
            (words, tf.keras.Input((), dtype="string"), text),
        ]
    ):
        model = tf.keras.Sequential([start, layer])
        model.save(tmp_path / str(number), save_format="tf")
        again = tf.keras.models.load_model(tmp_path / str(number))
        wanted = model(data).numpy()
        assert np.abs(wanted).max() > 0.1
        np.testing.assert_allclose(again(data), wanted, rtol=1e-6)


def test_a_model_called_on_doubles_is_saved_for_the_floats_that_it_sees(tmp_path) -> None:
    class Doubled(tf.keras.Model):
        def call(self, inputs: Any) -> Any:
            return 2 * inputs

    model = Doubled()
    model(np.ones((1, 3)))
    (spec, *_), _ = model.save_spec()
    assert spec.dtype == tf.float32


def test_a_new_folder_has_no_model_before_all_of_it_is_there(tmp_path, monkeypatch) -> None:
    internal = tf.__internal__.saved_model
    write, seen = internal.write_keras_metadata, []

    def look_and_write(place: Any, nodes: Any) -> None:
        seen.append((tmp_path / "m" / "saved_model.pb").exists())
        write(place, nodes)

    monkeypatch.setattr(internal, "write_keras_metadata", look_and_write)
    model = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    model.save(tmp_path / "m", save_format="tf")
    assert seen == [False]
    assert tf.keras.models.load_model(tmp_path / "m").count_params() == 2


def test_a_file_is_no_place_for_a_model(tmp_path) -> None:
    (tmp_path / "f").write_text("mine")
    for place in ("f", "f/inside"):
        with pytest.raises(tf.errors.FailedPreconditionError):
            tf.saved_model.save(tf.Module(), tmp_path / place)
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    assert (tmp_path / "f").read_text() == "mine"
