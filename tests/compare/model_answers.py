"""What a module answers to a program of `models.py`: what each step gives, or its error's class."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

Program = dict[str, Any]

_MOST = 48  # numbers of an array that are compared
_ROWS = 3


def answer(tf: Any, made: Program | None) -> Any:
    """What each step gives; a step that needs one that failed is left out."""
    if made is None:
        return None
    warnings.simplefilter("ignore")
    tf.keras.backend.clear_session()
    tf.keras.mixed_precision.set_global_policy(made["policy"])
    tf.keras.utils.set_random_seed(made["seed"])
    steps = Steps()
    steps.done["policy"] = made["policy"]
    try:
        if made.get("crossed"):
            _read(tf, made, steps, _folder(made, tf, others=True))
        elif made["style"] == "layer":
            _layer(tf, made, steps)
        else:
            _model(tf, made, steps)
    except _Stopped:
        pass
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")
    return steps.done


class _Stopped(Exception):
    """A step failed that the others need."""


class Steps:
    """Runs steps one by one, and keeps what they give."""

    def __init__(self) -> None:
        self.done: dict[str, Any] = {}

    def run(self, name: str, step: Callable[[], Any], *, needed: bool = False) -> Any:
        """What the step gives, or None if it failed; then nothing follows if it is needed."""
        try:
            result = step()
            self.done[name] = plain(result)
        except Exception as error:
            self.done[name] = {"error": type(error).__name__, "message": str(error)[-300:]}
            if needed:
                raise _Stopped from error
            return None
        return result


def _folder(made: Program, tf: Any, *, others: bool = False) -> str:
    names = ["runnel", "tensorflow"]
    own = tf.__name__.split(".")[0] == "tensorflow"
    return os.path.join(made["folder"], names[own != others])


def _layer(tf: Any, made: Program, steps: Steps) -> None:
    node = made["nodes"][0]
    layer = steps.run("make", lambda: _object(tf, node["layer"]), needed=True)
    steps.run("config", layer.get_config)
    values = [_data(made, place) for place in node["from"]]
    given = [tf.constant(value) for value in values]
    whole = given[0] if len(given) == 1 else given
    training = {} if made["training"] is None else {"training": made["training"]}
    steps.run("call", lambda: _called(layer, whole, training), needed=True)
    steps.run("weights", lambda: _weights(layer))
    if made["random_weights"]:
        _set_weights(layer, made["seed"])
        steps.run("second call", lambda: _called(layer, whole, training))
    shapes = [list(value.shape) for value in values]
    shape = tuple(shapes[0]) if len(shapes) == 1 else [tuple(each) for each in shapes]
    steps.run("compute_output_shape", lambda: layer.compute_output_shape(shape))
    steps.run("losses", lambda: list(layer.losses))
    steps.run("masks", lambda: bool(layer.supports_masking))
    steps.run("again", lambda: type(layer).from_config(layer.get_config()).get_config())
    steps.run("gradient", lambda: _gradient(tf, layer, whole))


def _called(layer: Any, values: Any, arguments: Program) -> Any:
    result = layer(values, **arguments)
    return {"result": result, "mask": getattr(result, "_keras_mask", None)}


def _gradient(tf: Any, layer: Any, values: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(values)
        result = layer(values)
        total = tf.zeros([]) + sum(
            tf.reduce_sum(tf.square(tf.cast(each, "float32")))
            for each in tf.nest.flatten(result)
            if each.dtype.is_floating
        )
        if not layer.trainable_weights:
            return None
    return tape.gradient(total, layer.trainable_weights)


def _model(tf: Any, made: Program, steps: Steps) -> None:
    model = steps.run("make", lambda: _made(tf, made), needed=True)
    values = [_data(made, place) for place in range(len(made["inputs"]))]
    inputs = values[0] if len(values) == 1 else values
    training = {} if made["training"] is None else {"training": made["training"]}
    steps.run("forward", lambda: model(inputs, **training), needed=True)
    steps.run("weights", lambda: _weights(model))
    steps.run("summary", lambda: _summary(model))
    steps.run("config", lambda: json.loads(json.dumps(model.get_config(), default=str)))
    steps.run("shape", lambda: [model.input_shape, model.output_shape])
    if made["random_weights"]:
        _set_weights(model, made["seed"])
    steps.run("predict", lambda: model.predict(inputs, verbose=0, batch_size=2))
    steps.run("losses", lambda: list(model.losses))
    if made["compile"]:
        _trained(tf, made, model, inputs, steps)
    if made["file"]:
        _saved(tf, made, model, inputs, steps)


def _made(tf: Any, made: Program) -> Any:
    layers = [_object(tf, node["layer"]) for node in made["nodes"]]
    if made["style"] == "sequential":
        return tf.keras.Sequential([_input(tf, made["inputs"][0]), *layers])
    if made["style"] == "functional":
        inputs = [_input(tf, each) for each in made["inputs"]]
        outputs = _through(layers, made, inputs)
        return tf.keras.Model(
            inputs if len(inputs) > 1 else inputs[0], outputs if len(outputs) > 1 else outputs[0]
        )

    class Made(tf.keras.Model):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.parts = layers

        def call(self, inputs: Any) -> Any:
            given = inputs if isinstance(inputs, (list, tuple)) else [inputs]
            outputs = _through(self.parts, made, given)
            return outputs if len(outputs) > 1 else outputs[0]

    return Made()


def _through(layers: list[Any], made: Program, inputs: list[Any]) -> list[Any]:
    values = [*inputs]
    for layer, node in zip(layers, made["nodes"], strict=True):
        taken = [values[place] for place in node["from"]]
        name = type(layer).__name__
        if len(taken) == 2 and name == "MultiHeadAttention":
            values.append(layer(*taken))
        else:
            values.append(layer(taken if len(taken) > 1 else taken[0]))
        if isinstance(values[-1], (list, tuple)) and len(values[-1]):
            values[-1] = values[-1][0]
    first = len(made["inputs"])
    return [values[place if place < 0 else first + place] for place in made["outputs"]]


def _input(tf: Any, given: Program) -> Any:
    shape = [None if at in given["unknown"] else size for at, size in enumerate(given["shape"])]
    return tf.keras.Input(shape, dtype=given["dtype"])


def _data(made: Program, place: int) -> Any:
    given = made["inputs"][place]
    stream = np.random.RandomState(made["seed"] + place)
    shape = (_ROWS, *given["shape"])
    if given["dtype"] == "string":
        return stream.choice(["a", "bc", "d e", "", "A!", "b"], shape).astype(object)
    if given["dtype"].startswith("int"):
        return stream.randint(0, 6, shape).astype(given["dtype"])
    values = stream.normal(size=shape).astype("float32")
    if len(shape) > 2:
        values[:, -1] = 0.0
    return values


def _set_weights(layer: Any, seed: int) -> None:
    stream = np.random.RandomState(seed)
    values = layer.get_weights()
    for place, weight in enumerate(layer.weights):
        value = stream.normal(size=weight.shape) * 0.5
        if weight.dtype.is_floating:
            values[place] = abs(value) if "variance" in weight.name else value
    layer.set_weights(values)


def _weights(layer: Any) -> Any:
    return [
        [weight.name, list(weight.shape), weight.dtype.name, bool(weight.trainable), weight.numpy()]
        for weight in layer.weights
    ]


def _summary(model: Any) -> list[str]:
    lines: list[str] = []
    model.summary(print_fn=lines.append, line_length=100)
    return [line for whole in lines for line in whole.splitlines()]


def _trained(tf: Any, made: Program, model: Any, inputs: Any, steps: Steps) -> None:
    given = made["compile"]

    def compiled() -> None:
        model.compile(
            _object(tf, given["optimizer"]),
            loss=_object(tf, given["loss"]),
            metrics=[_object(tf, each) for each in given["metrics"]] or None,
            weighted_metrics=[_object(tf, each) for each in given["weighted_metrics"]] or None,
            run_eagerly=given["run_eagerly"],
        )

    steps.run("compile", compiled, needed=True)
    target = _target(given["loss"], model.predict(inputs, verbose=0), made["seed"])
    weight = np.arange(1.0, _ROWS + 1, dtype="float32") if given["sample_weight"] else None
    for step in range(given["steps"]):
        steps.run(
            f"train {step}",
            lambda: model.train_on_batch(inputs, target, sample_weight=weight, return_dict=True),
            needed=True,
        )
    steps.run("trained weights", lambda: _weights(model))
    steps.run("optimizer", lambda: [[v.name, v.numpy()] for v in model.optimizer.variables])
    steps.run("optimizer config", model.optimizer.get_config)
    steps.run(
        "fit",
        lambda: model.fit(inputs, target, epochs=2, batch_size=2, shuffle=False, verbose=0).history,
    )
    steps.run("evaluate", lambda: model.evaluate(inputs, target, verbose=0, return_dict=True))


def _target(loss: Any, outputs: Any, seed: int) -> Any:
    several = isinstance(outputs, (list, tuple))
    stream = np.random.RandomState(seed + 50)
    name = loss if isinstance(loss, str) else loss["class"]
    targets = []
    for output in outputs if several else [outputs]:
        shape = np.shape(output)
        if "parse" in name and shape:
            targets.append(stream.randint(0, max(1, shape[-1]), shape[:-1]))
        else:
            targets.append(stream.randint(0, 2, shape).astype("float32"))
    return targets if several else targets[0]


def _saved(tf: Any, made: Program, model: Any, inputs: Any, steps: Steps) -> None:
    path = os.path.join(_folder(made, tf), "model")
    os.makedirs(_folder(made, tf), exist_ok=True)

    def save() -> None:
        if made["file"] == "json":
            with open(path, "w") as file:
                file.write(model.to_json())
            model.save_weights(path + ".weights.h5")
        elif made["file"] in ("weights.h5", "checkpoint"):
            model.save_weights(path + (".weights.h5" if made["file"] == "weights.h5" else ""))
        else:
            suffix = "" if made["file"] == "tf" else "." + made["file"]
            model.save(path + suffix, save_format=made["file"])

    steps.run("save", save, needed=True)
    _read(tf, made, steps, _folder(made, tf))


def _read(tf: Any, made: Program, steps: Steps, folder: str) -> None:
    """Load what one of the two has written; what comes out of it is as before."""
    tf.keras.utils.set_random_seed(made["seed"] + 1)
    values = [_data(made, place) for place in range(len(made["inputs"]))]
    inputs = values[0] if len(values) == 1 else values
    loaded = steps.run("load", lambda: _loaded(tf, made, inputs, folder), needed=True)
    steps.run("loaded forward", lambda: loaded(inputs))
    steps.run("loaded weights", lambda: _weights(loaded))
    if made["compile"] and made["file"] in ("keras", "h5", "tf"):
        target = _target(made["compile"]["loss"], loaded.predict(inputs, verbose=0), made["seed"])
        steps.run("loaded train", lambda: loaded.train_on_batch(inputs, target, return_dict=True))
        steps.run("loaded optimizer", lambda: [v.numpy() for v in loaded.optimizer.variables])


def _loaded(tf: Any, made: Program, inputs: Any, folder: str) -> Any:
    path = os.path.join(folder, "model")
    functions = {name: make(tf) for name, make in FUNCTIONS.items()}
    if made["file"] == "json":
        with open(path) as file:
            model = tf.keras.models.model_from_json(file.read(), custom_objects=functions)
        model.load_weights(path + ".weights.h5")
        return model
    if made["file"] in ("weights.h5", "checkpoint"):
        tf.keras.backend.clear_session()
        model = _made(tf, made)
        model(inputs)
        model.load_weights(path + (".weights.h5" if made["file"] == "weights.h5" else ""))
        return model
    suffix = "" if made["file"] == "tf" else "." + made["file"]
    unsafe = {"safe_mode": False} if made["file"] == "keras" else {}
    return tf.keras.models.load_model(path + suffix, custom_objects=functions, **unsafe)


def _double(tf: Any) -> Callable[[Any], Any]:
    def double(x: Any) -> Any:
        return x * 2

    return double


def _mean_square(tf: Any) -> Callable[[Any], Any]:
    def mean_square(x: Any) -> Any:
        return tf.reduce_mean(tf.square(x))

    return mean_square


FUNCTIONS: dict[str, Callable[[Any], Callable[[Any], Any]]] = {
    "double": _double,
    "mean_square": _mean_square,
}


def _object(tf: Any, value: Any) -> Any:
    if isinstance(value, list):
        return [_object(tf, each) for each in value]
    if not isinstance(value, dict):
        return value
    if "fn" in value:
        return FUNCTIONS[value["fn"]](tf)
    if "class" not in value:
        return {key: _object(tf, each) for key, each in value.items()}
    found = tf.keras
    for part in value["class"].split("."):
        found = getattr(found, part)
    return found(**{key: _object(tf, each) for key, each in value["args"].items()})


def plain(value: Any) -> Any:
    """The value as JSON."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)) and not np.ndim(value):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "dense_shape"):
        return {"sparse": plain([value.indices, value.values, value.dense_shape])}
    if hasattr(value, "to_list"):
        return {"ragged": str(value.to_list())}
    if hasattr(value, "as_list"):
        return value.as_list() if value.rank is not None else "unknown"
    if hasattr(value, "numpy") or isinstance(value, (np.ndarray, np.generic)):
        return _array(value.numpy() if hasattr(value, "numpy") else value)
    return type(value).__name__


def _array(value: Any) -> Program:
    array = np.asarray(value)
    few = array.ravel()
    if few.size > _MOST:
        few = few[np.linspace(0, few.size - 1, _MOST).astype(int)]
    number = array.dtype.kind in "fVbiu" or array.dtype.name == "bfloat16"
    values = [float(each) for each in few] if number else [str(each) for each in few]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": values}
