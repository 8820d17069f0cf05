"""Files that are damaged, or made to do harm."""

import base64
import io
import json
import random
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

import runnel as tf

FILES = Path(__file__).parent.parent / "golden" / "keras_files"
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
]
HARM = [
    {"module": "os", "class_name": "function", "config": "system", "registered_name": "system"},
    {"module": "subprocess", "class_name": "Popen", "config": {"args": ["false"]}},
    {"module": "builtins", "class_name": "function", "config": "eval", "registered_name": "eval"},
]
WRONG = [None, -1, 7, "x", [], {}, [1, 2, 3], True, {"class_name": "Dense", "config": {}}]


def places(config, place=()):
    """The ways to everything inside a config."""
    items = config.items() if isinstance(config, dict) else ()
    items = enumerate(config) if isinstance(config, list) else items
    for key, value in items:
        yield (*place, key)
        yield from places(value, (*place, key))


def changed(config, rng, values=None):
    """The config with something missing, or something else in its place."""
    config = json.loads(json.dumps(config))
    *way, last = rng.choice(list(places(config)))
    inner = config
    for key in way:
        inner = inner[key]
    if values is None and rng.random() < 0.3:
        del inner[last]
    else:
        inner[last] = rng.choice(values or WRONG)
    return config


def keras_file(change_config=lambda c: c, change_weights=lambda w: w):
    """A `.keras` file of tf_keras with other contents."""
    made = io.BytesIO()
    with zipfile.ZipFile(FILES / "sequential.keras") as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "config.json":
                data = json.dumps(change_config(json.loads(data)))
            elif name == "model.weights.h5":
                data = change_weights(data)
            new.writestr(name, data)
    return made.getvalue()


def flipped(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 3, 20])):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def damaged(rng):
    """A file with some damage, and its ending."""
    ending = rng.choice([".keras", ".h5"])
    whole = (FILES / f"sequential{ending}").read_bytes()
    kind = rng.randrange(4)
    if kind == 0:
        return whole[: rng.randrange(len(whole))], ending
    if kind == 1:
        return flipped(whole, rng), ending
    if kind == 2:
        return keras_file(change_weights=lambda weights: flipped(weights, rng)), ".keras"
    return keras_file(change_config=lambda config: changed(config, rng)), ".keras"


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_file_loads_or_is_refused_with_a_clear_error(seed, tmp_path):
    data, ending = damaged(random.Random(seed))
    path = tmp_path / f"damaged{ending}"
    path.write_bytes(data)
    try:
        model = tf.keras.models.load_model(path)
    except (ValueError, TypeError, OSError) as error:
        assert str(error)
    else:
        assert isinstance(model, tf.keras.Model)


@pytest.mark.parametrize("seed", range(12))
def test_no_class_or_function_from_outside_keras_is_taken_from_a_file(seed, tmp_path):
    rng = random.Random(seed)
    path = tmp_path / "harm.keras"
    path.write_bytes(keras_file(change_config=lambda config: changed(config, rng, HARM)))
    try:
        model = tf.keras.models.load_model(path)
    except (ValueError, TypeError, OSError):
        return
    assert isinstance(model, tf.keras.Model)  # what was put in has no meaning in its place


def with_lambda(path):
    source = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Lambda(lambda x: x * 2)])
    source.save(path)


@pytest.mark.parametrize("ending", [".keras", ".h5"])
def test_code_in_a_file_runs_only_if_that_is_asked_for(ending, tmp_path):
    path = tmp_path / f"code{ending}"
    with_lambda(path)
    with pytest.raises(ValueError, match="safe_mode"):
        tf.keras.models.load_model(path)
    model = tf.keras.models.load_model(path, safe_mode=False)
    np.testing.assert_array_equal(model(np.ones((1, 2), np.float32)), [[2, 2]])
    with pytest.raises(ValueError, match="safe_mode"):  # and it was asked for only once
        tf.keras.models.load_model(path)


def test_broken_code_is_no_crash(tmp_path):
    def change(config):
        broken = base64.b64encode(b"\xe3\x00\x00").decode()
        code = {"class_name": "__lambda__", "config": {"value": [broken, None, None]}}
        config["config"]["layers"][1]["config"]["activation"] = code
        return config

    path = tmp_path / "broken.keras"
    path.write_bytes(keras_file(change_config=change))
    with pytest.raises(TypeError, match="safe_mode"):
        tf.keras.models.load_model(path)


@pytest.mark.parametrize("how", ["link", "dataset"])
def test_weights_are_not_taken_from_another_file(how, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(1000))
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3)])
    path = tmp_path / "other.weights.h5"
    model.save_weights(path)
    with h5py.File(path, "r+") as file:
        del file["layers/dense/vars/0"]
        if how == "link":
            file["layers/dense/vars/0"] = h5py.ExternalLink(str(secret), "/")
        else:
            external = [(str(secret), 0, h5py.h5f.UNLIMITED)]
            file.create_dataset("layers/dense/vars/0", (2, 3), np.float32, external=external)
    with pytest.raises(ValueError, match="another file"):
        model.load_weights(path)


def test_an_error_in_a_users_class_is_left_as_it_is(tmp_path):
    class Faulty(tf.keras.layers.Layer):
        def call(self, inputs):
            return inputs

        @classmethod
        def from_config(cls, config):
            return config["no such key"]

    path = tmp_path / "faulty.keras"
    tf.keras.Sequential([tf.keras.Input((2,)), Faulty()]).save(path)
    with pytest.raises(KeyError, match="no such key"):
        tf.keras.models.load_model(path, custom_objects={"Faulty": Faulty})


def refused(data, ending, tmp_path):
    """What `load_model` says of a file that is made to exhaust the memory."""
    path = tmp_path / f"hostile{ending}"
    path.write_bytes(data)
    with pytest.raises(ValueError) as error:
        tf.keras.models.load_model(path)
    return str(error.value)


def with_units(units):
    def change(config):
        dense = next(x for x in config["config"]["layers"] if x["class_name"] == "Dense")
        dense["config"]["units"] = units
        return config

    return change


@pytest.mark.parametrize("units", [10**9, 10**12, 10**19])
def test_a_config_with_more_weights_than_its_file_has_is_refused(units, tmp_path):
    said = refused(keras_file(with_units(units)), ".keras", tmp_path)
    assert "more than the file has weights" in said or "cannot be loaded" in said


def test_an_h5_config_with_more_weights_than_its_file_has_is_refused(tmp_path):
    path = tmp_path / "large.h5"
    path.write_bytes((FILES / "sequential.h5").read_bytes())
    with h5py.File(path, "a") as file:
        config = json.loads(file.attrs["model_config"])
        file.attrs["model_config"] = json.dumps(with_units(10**12)(config))
    assert "more than the file has weights" in refused(path.read_bytes(), ".h5", tmp_path)


def test_a_config_that_is_nested_too_deeply_is_refused(tmp_path):
    made = io.BytesIO()
    with zipfile.ZipFile(FILES / "sequential.keras") as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            deep = '{"a":' * 100_000 + "1" + "}" * 100_000
            new.writestr(name, deep if name == "config.json" else old.read(name))
    assert "cannot be loaded" in refused(made.getvalue(), ".keras", tmp_path)


def test_a_config_of_layers_in_layers_without_end_is_refused(tmp_path):
    def change(config):
        layer = {"module": "keras.layers", "class_name": "Dense", "config": {"units": 1}}
        for _ in range(300):
            inner = {"layer": layer, "name": "wrapped"}
            layer = {"module": "keras.layers", "class_name": "TimeDistributed", "config": inner}
        config["config"]["layers"][1] = layer
        return config

    assert "levels" in refused(keras_file(change), ".keras", tmp_path)


def test_a_zip_that_would_grow_beyond_measure_is_refused(tmp_path):
    made = io.BytesIO()
    with zipfile.ZipFile(FILES / "sequential.keras") as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        bomb = zipfile.ZipInfo("assets/bomb")
        bomb.compress_type = zipfile.ZIP_DEFLATED
        new.writestr(bomb, bytes(1000))
        new.infolist()[-1].file_size = 1 << 40  # as the directory of such a file says
    assert "would grow" in refused(made.getvalue(), ".keras", tmp_path)


def large_dataset(weights):
    """A weight of a terabyte, of which nothing is stored."""
    file = io.BytesIO(weights)
    with h5py.File(file, "a") as h5:
        names = []
        h5.visititems(lambda name, x: names.append(name) if hasattr(x, "nbytes") else None)
        del h5[names[0]]
        h5.create_dataset(names[0], shape=(1 << 38,), chunks=(1 << 20,), dtype="float32")
    return file.getvalue()


def test_a_weight_that_is_not_in_its_file_is_refused(tmp_path):
    said = refused(keras_file(change_weights=large_dataset), ".keras", tmp_path)
    assert "not in the file" in said
    path = tmp_path / "weights.h5"
    path.write_bytes(large_dataset((FILES / "sequential.h5").read_bytes()))
    model = tf.keras.models.load_model(FILES / "sequential.h5")
    with pytest.raises(ValueError, match="not in the file"):
        model.load_weights(path)


def test_a_metric_with_thresholds_without_end_is_refused(tmp_path):
    def change(config):
        made = {
            "module": "keras.metrics",
            "class_name": "AUC",
            "config": {"num_thresholds": 10**12},
        }
        config["compile_config"] = {"optimizer": "sgd", "loss": "mse", "metrics": [made]}
        return config

    assert "thresholds" in refused(keras_file(change), ".keras", tmp_path)


def test_large_layers_can_be_made_where_no_file_is_read():
    layer = tf.keras.layers.Dense(1 << 20)
    layer.build((None, 2))
    assert layer.count_params() == 3 << 20
