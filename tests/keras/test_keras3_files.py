"""Files that Keras 3 wrote."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import runnel as tf
from tests.golden.keras3_models import INPUTS, LABELS, MODELS

FILES = Path(__file__).parent.parent / "golden" / "keras3_files"
names = pytest.mark.parametrize("name", MODELS)


def check_predictions(model, name):
    model.run_eagerly = True
    wanted = np.load(FILES / "predictions.npz")[name]
    np.testing.assert_allclose(model.predict(INPUTS[name], verbose=0), wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("file", [*(f"{name}.keras" for name in MODELS), "mlp.h5"])
def test_a_model_of_keras_3_predicts_the_same_and_training_goes_on(file):
    name = file.partition(".")[0]
    model = tf.keras.models.load_model(FILES / file)
    check_predictions(model, name)
    assert int(model.optimizer.iterations) == 4
    if name != "cnn":  # SGD without momentum
        assert np.abs(model.optimizer.variables[1].numpy()).max() > 0
    model.fit(INPUTS[name], LABELS, verbose=0)
    assert int(model.optimizer.iterations) == 5


@names
@pytest.mark.parametrize("ending", [".weights.h5", ".keras"])
def test_weights_of_keras_3_load_into_a_model_made_here(name, ending):
    model = MODELS[name](tf.keras)
    model.load_weights(FILES / f"{name}{ending}")
    check_predictions(model, name)


def changed(tmp_path, change):
    """The MLP of Keras 3 with another config."""
    path = tmp_path / "changed.keras"
    with zipfile.ZipFile(FILES / "mlp.keras") as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "config.json":
                config = json.loads(data)
                change(config["config"]["layers"])
                data = json.dumps(config)
            new.writestr(name, data)
    return path


def test_an_argument_that_only_keras_3_has_is_refused_by_name(tmp_path):
    path = changed(tmp_path, lambda layers: layers[2]["config"].update(lora_rank=4))
    with pytest.raises(ValueError, match=r"Keras 3 with Dense\(lora_rank=4\)"):
        tf.keras.models.load_model(path)


def test_a_layer_that_only_keras_3_has_is_named(tmp_path):
    path = changed(tmp_path, lambda layers: layers[2].update(class_name="RMSNormalization"))
    with pytest.raises(TypeError, match="Could not locate class 'RMSNormalization'"):
        tf.keras.models.load_model(path)


def test_a_function_of_keras_ops_that_is_not_known_is_named(tmp_path):
    operation = {"module": "keras.src.ops.numpy", "class_name": "Kron", "config": {"name": "k"}}
    path = changed(tmp_path, lambda layers: layers.append(operation))
    with pytest.raises(ValueError, match=r"keras.ops \(Kron\)"):
        tf.keras.models.load_model(path)
