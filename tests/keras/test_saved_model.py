"""Keras models as SavedModel folders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.golden.keras_models import INPUTS, MODELS, fitted

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

    def __init__(self) -> None:
        super().__init__()
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
