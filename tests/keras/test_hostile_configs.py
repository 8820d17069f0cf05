"""Files that name something to be called or read while they are loaded: each is refused.

Every door by which a config names something is tried in each format that has it. The canaries are
a file that would be removed, one that would be made, and a text that would be read.
"""

from __future__ import annotations

import base64
import contextlib
import json
import marshal
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import pytest

import runnel as tf

keras = tf.keras
Layer = dict[str, Any]
INPUT = {
    "class_name": "InputLayer",
    "config": {"batch_input_shape": [None, 2], "dtype": "float32", "name": "x"},
    "name": "x",
    "inbound_nodes": [],
}


class Canary:
    """Files that show whether something was done to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bait = folder / "bait.txt"
        self.bait.write_text("secret:x:0:0\n")
        self.made = folder / "made.txt"

    def check(self) -> None:
        assert self.bait.read_text() == "secret:x:0:0\n"
        assert not self.made.exists()

    def code(self) -> list[Any]:
        """The code of a lambda that makes a file, as Keras writes it."""
        text = f"lambda *args, **kwargs: open({str(self.made)!r}, 'w').close() or args[0]"
        code = marshal.dumps(compile(text, "f", "eval").co_consts[0])
        return [base64.encodebytes(code).decode("ascii"), None, None]


def function(module: str, name: str) -> Layer:
    return {"module": module, "class_name": "function", "config": name, "registered_name": name}


def called(symbol: str, kind: str = "TFOpLambda", **kwargs: Any) -> Layer:
    """A layer that calls a function by name, on the model's input or on a text of the file."""
    first = kwargs.pop("first", None)
    node = ["x", 0, 0, kwargs] if first is None else ["_CONSTANT_VALUE", -1, first, kwargs]
    config = {"name": "y", "trainable": True, "dtype": "float32", "function": symbol}
    return {"class_name": kind, "config": config, "name": "y", "inbound_nodes": [node]}


def layer(name: str, module: str = "keras.layers", **config: Any) -> Layer:
    return {
        "module": module,
        "class_name": name,
        "config": {"name": "y", **config},
        "registered_name": None,
        "name": "y",
        "inbound_nodes": [[["x", 0, 0, {}]]],
    }


def method(symbol: str, name: str, first: Any) -> Layer:
    config = {"name": "y", "cls_symbol": symbol, "method_name": name}
    node = ["_CONSTANT_VALUE", -1, [first], {"kwargs": {}}]
    return {"class_name": "ClassMethod", "config": config, "name": "y", "inbound_nodes": [node]}


def by_code(canary: Canary, key: str) -> Layer:
    config = {"function": "relu", "function_type": "raw", "arguments": {}}
    return layer("Lambda", **{**config, key: canary.code(), f"{key}_type": "lambda"})


def metric(canary: Canary) -> Layer:
    fetched = {"fname": str(canary.made), "origin": canary.bait.as_uri()}
    config = {"name": "m", "fn": function("keras.utils", "get_file"), **fetched}
    return layer("MeanMetricWrapper", "keras.metrics", **config)


def nested(inner: Layer) -> Layer:
    config = {
        "name": "inner",
        "layers": [INPUT, inner],
        "input_layers": [["x", 0, 0]],
        "output_layers": [["y", 0, 0]],
    }
    outer = layer("Functional", "keras.src.engine.functional")
    return {**outer, "config": config, "name": "y"}


DOORS: dict[str, Callable[[Canary], Layer]] = {
    "rmtree": lambda c: called("io.gfile.remove", first=str(c.bait)),
    "get_file": lambda c: called(
        "keras.utils.get_file", first=str(c.made), origin=c.bait.as_uri(), cache_dir=str(c.folder)
    ),
    "load_model": lambda c: called(
        "keras.models.load_model", first=str(c.folder / "second.keras"), safe_mode=False
    ),
    "a module inside": lambda c: called("data.files.os.remove", first=str(c.bait)),
    "private": lambda c: called("core.gfile.remove", first=str(c.bait)),
    "write_file": lambda c: called("io.write_file", first=str(c.made), contents="x"),
    "read_file": lambda c: called("io.read_file", first=str(c.bait)),
    "raw op": lambda c: called("raw_ops.WriteFile", first=str(c.made), contents="x"),
    "matching": lambda c: called("io.matching_files", first=str(c.bait)),
    "print": lambda c: called("print", first="x", output_stream=f"file://{c.made}"),
    "py_function": lambda c: called("py_function", func="f", inp=[], Tout="float32"),
    "numpy_function": lambda c: called("numpy_function", func="f", inp=[], Tout="float32"),
    "summary": lambda c: called("summary.create_file_writer", first=str(c.made)),
    "saved_model": lambda c: called("saved_model.load", first=str(c.folder)),
    "debugging": lambda c: called(
        "debugging.experimental.enable_dump_debug_info", first=str(c.made)
    ),
    "config": lambda c: called("config.run_functions_eagerly", first=True),
    "checkpoint": lambda c: called("train.list_variables", first=str(c.folder)),
    "dataset": lambda c: called("data.Dataset.list_files", first=str(c.folder)),
    "old name": lambda c: called("compat.v1.io.gfile.remove", first=str(c.bait)),
    "slicing": lambda c: called("io.gfile.remove", "SlicingOpLambda", first=str(c.bait)),
    "class method": lambda c: method("io.gfile.GFile", "__init__", str(c.bait)),
    "class method of Dataset": lambda c: method("data.Dataset", "list_files", str(c.folder)),
    "class method of a layer": lambda c: method(
        "keras.layers.Lambda", "from_config", by_code(c, "function")["config"]
    ),
    "nested": lambda c: nested(called("io.gfile.remove", first=str(c.bait))),
    "wrapped": lambda c: layer("TimeDistributed", layer=by_code(c, "function")),
    "lambda": lambda c: by_code(c, "function"),
    "lambda for a shape": lambda c: by_code(c, "output_shape"),
    "lambda for a mask": lambda c: by_code(c, "mask"),
    "lambda by name": lambda c: layer("Lambda", function="remove", function_type="function"),
    "a lambda as a value": lambda c: layer(
        "Dense",
        units=1,
        activation={"class_name": "__lambda__", "config": {"value": c.code()}},
    ),
    "activation": lambda c: layer(
        "Dense", units=1, activation=function("keras.models", "load_model")
    ),
    "initializer": lambda c: layer(
        "Dense", units=1, kernel_initializer=function("keras.utils", "get_file")
    ),
    "regularizer": lambda c: layer(
        "Dense", units=1, kernel_regularizer=function("keras.utils", "get_file")
    ),
    "constraint": lambda c: layer(
        "Dense", units=1, kernel_constraint=function("keras.utils", "get_file")
    ),
    "a class that is a function": lambda c: layer("get_file", "keras.utils", origin="x"),
    "metric": metric,
    "foreign module": lambda c: layer("remove", "os", path=str(c.bait)),
    "foreign class": lambda c: layer("Popen", "subprocess", args="x"),
    "an import": lambda c: layer("os", "keras.saving.api"),
    "policy": lambda c: layer("Dense", units=1, dtype=layer("get_file", "keras.utils")),
    "standardize": lambda c: layer(
        "TextVectorization", standardize=function("keras.utils", "get_file"), split="whitespace"
    ),
    "words of a file": lambda c: layer("StringLookup", vocabulary=str(c.bait)),
    "numbers of a file": lambda c: layer("IntegerLookup", vocabulary=str(c.bait)),
    "text": lambda c: layer(
        "TextVectorization", vocabulary=str(c.bait), standardize=None, split="whitespace"
    ),
}
REFUSALS = (ValueError, TypeError)


def model_config(found: Layer) -> dict[str, Any]:
    config = {
        "name": "m",
        "trainable": True,
        "layers": [INPUT, found],
        "input_layers": [["x", 0, 0]],
        "output_layers": [["y", 0, 0]],
    }
    home = {"module": "keras.src.engine.functional", "registered_name": "Functional"}
    return {"class_name": "Functional", "config": config, **home}


def weights(path: Path) -> bytes:
    with h5py.File(path, "w") as file:
        file.create_group("model_weights").attrs["layer_names"] = []
    return path.read_bytes()


def write_keras(path: Path, config: dict[str, Any]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(config))
        archive.writestr("metadata.json", json.dumps({"keras_version": "2.15.0"}))
        archive.writestr("model.weights.h5", weights(path.with_suffix(".tmp")))


def write_h5(path: Path, config: dict[str, Any]) -> None:
    weights(path)
    with h5py.File(path, "a") as file:
        file.attrs["model_config"] = json.dumps(config)
        file.attrs["keras_version"] = b"2.15.0"


def load_file(write: Any, ending: str) -> Callable[[Canary, Layer], Any]:
    def load(canary: Canary, found: Layer) -> Any:
        path = canary.folder / f"model.{ending}"
        write(path, model_config(found))
        return keras.models.load_model(path)

    return load


def old(found: Any) -> Any:
    """A config in the form of older files, which has no modules."""
    if isinstance(found, dict):
        kept = found if found.get("class_name") == "function" else dict(found)
        if kept is not found:
            kept.pop("module", None)
        return {key: old(value) for key, value in kept.items()}
    return [old(part) for part in found] if isinstance(found, list) else found


FORMATS: dict[str, Callable[[Canary, Layer], Any]] = {
    ".keras": load_file(write_keras, "keras"),
    ".h5": load_file(write_h5, "h5"),
    "JSON": lambda c, found: keras.models.model_from_json(json.dumps(model_config(found))),
    "older JSON": lambda c, found: keras.models.model_from_json(
        json.dumps(old(model_config(found)))
    ),
    "config": lambda c, found: keras.Model.from_config(model_config(found)["config"]),
    "Sequential": lambda c, found: keras.Sequential.from_config(
        {"name": "s", "layers": [INPUT, found]}
    ),
    "layers.deserialize": lambda c, found: keras.layers.deserialize(model_config(found)),
    "saving": lambda c, found: keras.saving.deserialize_keras_object(model_config(found)),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("door", DOORS)
def test_a_file_calls_and_reads_nothing(door: str, form: str, tmp_path: Path) -> None:
    canary = Canary(tmp_path)
    write_keras(tmp_path / "second.keras", model_config(by_code(canary, "function")))
    with pytest.raises(REFUSALS) as caught:
        FORMATS[form](canary, DOORS[door](canary))
    canary.check()
    assert "secret" not in str(caught.value)


OBJECTS: dict[str, Callable[[Any], Any]] = {
    "losses": keras.losses.deserialize,
    "metrics": keras.metrics.deserialize,
    "optimizers": keras.optimizers.deserialize,
    "schedules": keras.optimizers.schedules.deserialize,
    "initializers": keras.initializers.deserialize,
    "activations": keras.activations.deserialize,
    "regularizers": keras.regularizers.deserialize,
    "constraints": keras.constraints.deserialize,
    "layers": keras.layers.deserialize,
    "legacy": keras.utils.legacy.deserialize_keras_object,
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_no_deserialize_gives_a_function_that_touches_files(kind: str, tmp_path: Path) -> None:
    canary = Canary(tmp_path)
    lambda_ = {"class_name": "__lambda__", "config": {"value": canary.code()}}
    for config in (
        function("keras.utils", "get_file"),
        function("builtins", "open"),
        layer("get_file", "keras.utils"),
        layer("load_model", "keras.models"),
        layer("remove", "os"),
        lambda_,
    ):
        with pytest.raises(REFUSALS):
            OBJECTS[kind](config)
    canary.check()


def compiled(canary: Canary, **arguments: Any) -> None:
    """A file whose model is compiled with something."""
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    config = json.loads(json.dumps(keras.saving.serialize_keras_object(model)))
    config["compile_config"] = {"optimizer": "sgd", "loss": "mse", **arguments}
    write_keras(canary.folder / "compiled.keras", config)
    keras.models.load_model(canary.folder / "compiled.keras")


@pytest.mark.parametrize("key", ["loss", "optimizer", "metrics"])
def test_a_file_compiles_with_nothing_that_touches_files(key: str, tmp_path: Path) -> None:
    canary = Canary(tmp_path)
    value = function("keras.utils", "get_file")
    with pytest.raises(REFUSALS):
        compiled(canary, **{key: [value] if key == "metrics" else value})
    canary.check()


def test_functions_on_tensors_go_on_loading(tmp_path: Path) -> None:
    x = keras.Input((4, 4))
    y = tf.signal.rfft(tf.nn.relu(x)[:, 1:, tf.newaxis])
    y = tf.math.real(y) + tf.reduce_mean(x, axis=[1, 2], keepdims=True)[..., tf.newaxis]
    y = tf.concat([y, tf.random.normal(tf.shape(y)) * 0.0], -1) @ tf.ones((6, 2))
    y = keras.backend.batch_flatten(tf.where(y > 0.0, y, tf.linalg.lstsq(y, y)[..., :1, :] * 0.0))
    model = keras.Model(x, tf.debugging.check_numerics(y, "y"))
    data = tf.random.normal((2, 4, 4))
    for name in ("m.keras", "m.weights"):
        path = tmp_path / name
        model.save(path)
        tf.debugging.assert_near(keras.models.load_model(path)(data), model(data))
    again = keras.models.model_from_json(model.to_json())
    tf.debugging.assert_near(again(data), model(data))


def test_a_trusted_file_may_call_and_read(tmp_path: Path) -> None:
    canary = Canary(tmp_path)
    path = tmp_path / "m.keras"
    write_keras(path, model_config(called("io.read_file", first=str(canary.bait))))
    assert keras.models.load_model(path, safe_mode=False).outputs
    lookup = layer("StringLookup", vocabulary=str(canary.bait))
    write_keras(path, {**lookup, "config": lookup["config"]})
    found = keras.models.load_model(path, safe_mode=False)
    assert found.get_vocabulary() == ["[UNK]", "secret:x:0:0"]


def test_the_words_of_a_file_are_saved_with_the_layer(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("a\nb")
    x = keras.Input((1,), dtype=tf.string)
    model = keras.Model(x, keras.layers.StringLookup(vocabulary=str(words))(x))
    model.save(tmp_path / "m.keras")
    words.unlink()
    loaded = keras.models.load_model(tmp_path / "m.keras")
    assert loaded(tf.constant([["b"]])).numpy().tolist() == [[2]]


def test_own_code_may_load_what_it_likes(tmp_path: Path) -> None:
    """Safe mode is asked of files, not of the program that loads them."""
    inner = keras.Sequential([keras.Input((2,)), keras.layers.Lambda(lambda x: x * 2.0)])
    inner.save(tmp_path / "inner.keras")

    class Own(keras.layers.Layer):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.inner = keras.models.load_model(tmp_path / "inner.keras", safe_mode=False)

        def call(self, x: Any) -> Any:
            return self.inner(x)

    keras.Sequential([keras.Input((2,)), Own()]).save(tmp_path / "outer.keras")
    loaded = keras.models.load_model(tmp_path / "outer.keras", custom_objects={"Own": Own})
    assert loaded(tf.ones((1, 2))).numpy().tolist() == [[2.0, 2.0]]


@pytest.mark.parametrize("door", ["rmtree", "lambda", "words of a file", "nested"])
def test_the_metadata_of_a_saved_model_call_and_read_nothing(door: str, tmp_path: Path) -> None:
    """The model is made of its saved functions instead, which run when it is called."""
    canary = Canary(tmp_path)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.save(tmp_path / "m")
    internal = tf.__internal__.saved_model
    nodes = internal.read_keras_metadata(str(tmp_path / "m"))
    data = json.loads(nodes[0].metadata)
    config = model_config(DOORS[door](canary))
    data |= {"class_name": "Functional", "config": config["config"], "model_config": config}
    hostile = [nodes[0]._replace(metadata=json.dumps(data)), *nodes[1:]]
    internal.write_keras_metadata(str(tmp_path / "m"), hostile)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(*REFUSALS, tf.errors.OpError):
            keras.models.load_model(tmp_path / "m")
    canary.check()
