"""Running a row, under TensorFlow or here: the same code, so that the answers can be compared."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from tests.keras.tables import Inner, Made, Row
from tests.keras.tables.own_layers import own_layers


def make(tf: Any, row: Row) -> Any:
    """The layer of a row."""
    return _argument(tf, Inner(row.name, (), row.kwargs))


def kind_of(tf: Any, name: str) -> Any:
    """The class of that name."""
    if name.startswith("own."):
        return own_layers(tf)[name.removeprefix("own.")]
    return attrgetter(name)(tf.keras.layers)


def _argument(tf: Any, value: Any) -> Any:
    if isinstance(value, Made):
        return value.by(tf)
    if isinstance(value, Inner):
        args = [_argument(tf, v) for v in value.args]
        kwargs = {key: _argument(tf, v) for key, v in value.kwargs.items()}
        return kind_of(tf, value.name)(*args, **kwargs)
    if isinstance(value, list):
        return [_argument(tf, v) for v in value]
    return value


def tensors(tf: Any, structure: Any) -> Any:
    return tf.nest.map_structure(
        lambda x: tf.constant(x) if isinstance(x, np.ndarray) else x, structure
    )


def fill(layer: Any) -> None:
    """Give the weights values that follow from their places and shapes alone."""
    values = []
    for place, weight in enumerate(layer.weights):
        drawn = np.random.default_rng(place).normal(size=tuple(weight.shape)) * 0.5
        if "variance" in weight.name or "stddev" in weight.name:
            drawn = np.abs(drawn) + 0.5
        current = np.asarray(weight.numpy())
        values.append(drawn.astype(current.dtype) if current.dtype.kind == "f" else current)
    layer.set_weights(values)


def outputs(tf: Any, layer: Any, row: Row) -> Any:
    return layer(tensors(tf, row.inputs), **tensors(tf, row.call))


def answers(tf: Any, row: Row) -> dict[str, Any]:
    """What is compared: outputs, gradients, names of weights, config, shapes."""
    tf.keras.backend.clear_session()
    layer = make(tf, row)
    outputs(tf, layer, row)  # builds it
    fill(layer)
    found: dict[str, Any] = {
        "weights": [[w.name, list(w.shape)] for w in layer.weights],
        "config": plain_config(layer),
        "outputs": [],
        "gradients": [],
    }
    inputs = tensors(tf, row.inputs)
    sources = [x for x in tf.nest.flatten(inputs) if x.dtype.is_floating]
    with tf.GradientTape() as tape:
        for x in sources:
            tape.watch(x)
        made = tf.nest.flatten(layer(inputs, **tensors(tf, row.call)))
        total = sum(tf.reduce_sum(t * _cotangent(tf, t)) for t in made if t.dtype.is_floating)
    found["outputs"] = [numbers(t) for t in made]
    found["mask"] = _mask(made[0])
    if row.gradient and not row.random:
        grads = tape.gradient(total, [*sources, *layer.trainable_weights])
        found["gradients"] = [
            None if g is None else numbers(tf.convert_to_tensor(g)) for g in grads
        ]
    found["after"] = [numbers(w) for w in layer.non_trainable_weights]
    found["passed mask"] = _passed_mask(tf, layer, row)
    found["mixed precision"] = _mixed_precision(tf, row)
    found["shape"] = shape_answer(tf, layer, row)
    return found


def at_rest(layer: Any, row: Row) -> Row:
    """The row as a call of inference, where nothing is drawn and no state changes."""
    call = {key: value for key, value in row.call.items() if key != "training"}
    if "training" in inspect.signature(layer.call).parameters:
        call["training"] = False
    return replace(row, call=call)


def as_half(row: Row) -> Row:
    """The row with its further arguments in float16, since Keras casts only the inputs."""
    call = {key: _half(value) for key, value in row.call.items()}
    return replace(row, call=call)


def _half(value: Any) -> Any:
    if isinstance(value, list):
        return [_half(v) for v in value]
    return value.astype(np.float16) if getattr(value, "dtype", None) == np.float32 else value


def half_layer(tf: Any, row: Row) -> tuple[Any, Any]:
    """The layer of a row made under `mixed_float16`, and its outputs in inference."""
    tf.keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        layer = make(tf, row)
        return layer, outputs(tf, layer, as_half(at_rest(layer, row)))
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")


def _passed_mask(tf: Any, layer: Any, row: Row) -> Any:
    """What `compute_mask` makes of masks of the first two axes, or the class of its error."""
    masks = tf.nest.map_structure(lambda x: tf.constant(_two_of_three(x.shape[:2])), row.inputs)
    try:
        passed = layer.compute_mask(tensors(tf, row.inputs), masks)
    except Exception as error:
        return type(error).__name__
    return [None if mask is None else mask.numpy().tolist() for mask in tf.nest.flatten(passed)]


def _two_of_three(shape: tuple[int, ...]) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3 > 0


def _mixed_precision(tf: Any, row: Row) -> Any:
    """Dtypes of outputs and weights under `mixed_float16`, or the class of the error."""
    try:
        layer, made = half_layer(tf, row)
    except Exception as error:
        return type(error).__name__
    return [[t.dtype.name for t in tf.nest.flatten(x)] for x in (made, layer.weights)]


def shape_answer(tf: Any, layer: Any, row: Row) -> Any:
    """What `compute_output_shape` says, or the class of its error."""
    try:
        made = said_shape(tf, layer, row)
    except (TypeError, NotImplementedError, KeyError) as error:
        return type(error).__name__
    return json.loads(json.dumps(made, default=lambda s: list(s)))


def said_shape(tf: Any, layer: Any, row: Row) -> Any:
    """`compute_output_shape` of the inputs and of what else it takes, such as `value_shape`."""
    shapes = tf.nest.map_structure(lambda x: tf.TensorShape(np.shape(x)), row.inputs)
    taken = inspect.signature(layer.compute_output_shape).parameters
    others = {f"{key}_shape": value for key, value in row.call.items()}
    return layer.compute_output_shape(
        shapes, **{key: tf.TensorShape(np.shape(x)) for key, x in others.items() if key in taken}
    )


def _cotangent(tf: Any, tensor: Any) -> Any:
    shape = tuple(tensor.shape)
    drawn = np.random.default_rng(99).normal(size=shape)
    return tf.cast(tf.constant(drawn.astype(np.float32)), tensor.dtype)


def _mask(tensor: Any) -> Any:
    mask = getattr(tensor, "_keras_mask", None)
    return None if mask is None else np.asarray(mask).tolist()


def numbers(tensor: Any) -> dict[str, Any]:
    """A tensor as JSON can hold it."""
    if hasattr(tensor, "to_list"):  # ragged
        return {"dtype": tensor.dtype.name, "value": _text(tensor.to_list())}
    array = np.asarray(tensor.numpy())
    if array.dtype.kind == "O":
        return {"dtype": "string", "value": _text(array.tolist())}
    wide = array.astype(np.float64) if array.dtype.kind not in "iub" else array
    rounded = np.round(wide, 7) if wide.dtype.kind == "f" else wide
    return {"dtype": tensor.dtype.name, "value": rounded.tolist()}


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(v) for v in value]
    return value.decode() if isinstance(value, bytes) else value


def plain_config(layer: Any) -> dict[str, Any]:
    """A config as JSON can hold it, without code that depends on the version of Python."""
    config = layer.get_config()
    if config.get("function_type") == "lambda":
        code, *rest = config["function"]
        config["function"] = [type(code).__name__, *rest]
    return dict(json.loads(json.dumps(config, default=_plain)))


def _plain(value: Any) -> Any:
    if hasattr(value, "items"):  # a dict that is tracked
        return dict(value.items())
    return value.tolist() if hasattr(value, "tolist") else str(value)
