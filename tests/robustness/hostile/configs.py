"""Configs of Keras that would do harm, if what they name were called, read or run."""

from __future__ import annotations

import base64
import marshal
from collections.abc import Callable
from typing import Any

import runnel as tf
from tests.robustness.hostile.format import Case

Config = dict[str, Any]


def _layer(class_name: str, config: Config, **more: Any) -> Config:
    named = {"name": "evil", "trainable": True, "dtype": "float32", **config}
    known = {"module": "keras.layers", "registered_name": None, **more}
    return {"class_name": class_name, "config": named, **known}


def _entry(dtype: str) -> Config:
    shape = [None, 3]
    config = {"batch_input_shape": shape, "dtype": dtype, "sparse": False, "ragged": False}
    config |= {"name": "entry", "optional": False}
    return {**_layer("InputLayer", {}), "config": config}


def _whole(class_name: str, config: Config) -> Config:
    known = {"module": "keras", "registered_name": None, "keras_version": "2.21.0"}
    return {"class_name": class_name, "config": config, **known}


def _sequential(layer: Config, dtype: str = "float32") -> Config:
    config = {"name": "model", "layers": [_entry(dtype), layer]}
    return _whole("Sequential", config)


def _functional(layer: Config, argument: Any, **kwargs: Any) -> Config:
    """A model that calls a layer with a constant."""
    entry = {**_entry("float32"), "name": "entry", "inbound_nodes": []}
    node = ["_CONSTANT_VALUE", -1, argument, kwargs]
    called = {**layer, "name": "evil", "inbound_nodes": [node]}
    config = {"name": "model", "trainable": True, "layers": [entry, called]}
    config |= {"input_layers": [["entry", 0, 0]], "output_layers": [["evil", 0, 0]]}
    return _whole("Functional", config)


def _op(function: str, argument: Any, kind: str = "TFOpLambda", **kwargs: Any) -> Config:
    known = {"module": "tf_keras.src.layers.core.tf_op_layer", "registered_name": kind}
    return _functional(_layer(kind, {"function": function}, **known), argument, **kwargs)


def _code(case: Case) -> list[Any]:
    """A function that makes a file elsewhere, as a Lambda layer holds it."""
    source = f"lambda x: (open({case.elsewhere + '/run'!r}, 'w').close(), x)[1]"
    code = compile(source, "<evil>", "eval").co_consts[0]
    return [base64.b64encode(marshal.dumps(code)).decode(), None, None]


def _lambda(function: Any, kind: str, **more: Any) -> Config:
    config = {"function": function, "function_type": kind, "module": "os", "arguments": {}}
    config |= {"output_shape": None, "output_shape_type": "raw", "output_shape_module": None}
    return _layer("Lambda", {**config, **more})


def _keras_lambda(case: Case) -> Config:
    code, defaults, closure = _code(case)
    value = {"code": code, "defaults": defaults, "closure": closure}
    return _lambda({"class_name": "__lambda__", "config": {"value": value}}, "lambda")


def _named(class_name: str, **more: Any) -> Config:
    """A layer of a class of any module."""
    return _layer(class_name, {"args": ["true"]}, **more)


def _vocabulary(layer: str, case: Case) -> Config:
    config = getattr(tf.keras.layers, layer)(name="evil").get_config()
    config["vocabulary"] = f"{case.elsewhere}/secret.txt"
    return _sequential(_layer(layer, config), "string" if layer != "IntegerLookup" else "int64")


def _nested(layer: Config, times: int) -> Config:
    model = _sequential(layer)
    for number in range(times):
        inner = {"name": f"level_{number}", "layers": [_entry("float32"), model]}
        model = _whole("Sequential", inner)
    return model


def _inner(case: Case) -> Config:
    return _sequential(_op("io.gfile.rmtree", case.elsewhere))


def _with(part: str, value: Any) -> Config:
    """A Dense layer one of whose parts is given."""
    config = {"units": 2, "activation": "linear", "use_bias": True, part: value}
    return _sequential(_layer("Dense", config))


CONFIGS: dict[str, Callable[[Case], Config]] = {
    "rmtree": lambda case: _op("io.gfile.rmtree", case.elsewhere),
    "write_file": lambda case: _op("io.write_file", f"{case.elsewhere}/made", contents="evil"),
    "read_file": lambda case: _op("io.read_file", f"{case.elsewhere}/secret.txt"),
    "matching_files": lambda case: _op("io.matching_files", f"{case.elsewhere}/*"),
    "get_file": lambda case: _op(
        "keras.utils.get_file", "got", origin=f"file://{case.elsewhere}/secret.txt"
    ),
    "load_model": lambda case: _op(
        "keras.models.load_model", f"{case.elsewhere}/secret.txt", safe_mode=False
    ),
    "saved_model.load": lambda case: _op("saved_model.load", case.elsewhere),
    "enable_unsafe": lambda case: _op("keras.config.enable_unsafe_deserialization", 1),
    "load_library": lambda case: _op("load_library", f"{case.elsewhere}/secret.txt"),
    "TextLineDataset": lambda case: _op("data.TextLineDataset", f"{case.elsewhere}/secret.txt"),
    "create_file_writer": lambda case: _op("summary.create_file_writer", f"{case.elsewhere}/log"),
    "slicing": lambda case: _op("io.gfile.rmtree", case.elsewhere, kind="SlicingOpLambda"),
    "nested_op": _inner,
    "dunder": lambda case: _op("io.gfile.rmtree.__globals__.__getitem__", "os"),
    "builtins": lambda case: _op("__builtins__.eval", f"open({case.elsewhere + '/run'!r}, 'w')"),
    "lambda": lambda case: _sequential(_lambda(_code(case), "lambda")),
    "keras_lambda": lambda case: _sequential(_keras_lambda(case)),
    "lambda_by_name": lambda case: _sequential(
        _lambda("system", "function", arguments={"command": f"touch {case.elsewhere}/run"})
    ),
    "nested_lambda": lambda case: _nested(_keras_lambda(case), 3),
    "module_os": lambda case: _sequential(_named("system", module="os")),
    "module_subprocess": lambda case: _sequential(_named("Popen", module="subprocess")),
    "registered_name": lambda case: _sequential(
        _named("x", module=None, registered_name="os>system")
    ),
    "initializer": lambda case: _with("kernel_initializer", _named("system", module="os")),
    "activation": lambda case: _with(
        "activation", {"class_name": "function", "module": "os", "config": "system"}
    ),
    "regularizer": lambda case: _with(
        "kernel_regularizer", _keras_lambda(case)["config"]["function"]
    ),
    "StringLookup": lambda case: _vocabulary("StringLookup", case),
    "IntegerLookup": lambda case: _vocabulary("IntegerLookup", case),
    "TextVectorization": lambda case: _vocabulary("TextVectorization", case),
    "deep": lambda case: _nested(_layer("Flatten", {}), 150),
    "large": lambda case: _with("units", 2**40),
    "larger": lambda case: _with("units", 2**62),
    "policy": lambda case: _with(
        "dtype", {"class_name": "Policy", "config": {"name": "../../x"}, "module": "os"}
    ),
}
