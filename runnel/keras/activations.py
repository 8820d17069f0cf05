"""`tf.keras.activations`: functions applied to each output of a layer."""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any

import runnel as tf
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor
from runnel.keras.saving.lookup import Lookup, function_config, lookups
from runnel.keras.saving.object_registration import get_registered_name, get_registered_object


def _tensor(x: Any) -> Any:
    """Arrays as tensors; a symbolic tensor is one already."""
    return x if isinstance(x, KerasTensor) else tf.convert_to_tensor(x)


def softmax(x: Any, axis: Any = -1) -> tf.Tensor:
    """Positive numbers that sum to one along `axis`, in proportion to `exp(x)`.

    >>> tf.keras.activations.softmax(tf.constant([[0.0, 0.0]])).numpy()
    array([[0.5, 0.5]], dtype=float32)
    """
    x = _tensor(x)
    if x.shape.rank is not None and x.shape.rank <= 1:
        raise ValueError(f"Cannot apply softmax to a tensor that is 1D. Received input: {x}")
    if isinstance(axis, int):
        output: Any = tf.nn.softmax(x, axis=axis)
    else:
        shifted = tf.exp(x - tf.reduce_max(x, axis=axis, keepdims=True))
        output = shifted / tf.reduce_sum(shifted, axis=axis, keepdims=True)
    output._keras_logits = x
    return output


def sigmoid(x: Any) -> tf.Tensor:
    """`1 / (1 + exp(-x))`.

    >>> tf.keras.activations.sigmoid(tf.constant([0.0])).numpy()
    array([0.5], dtype=float32)
    """
    x = _tensor(x)
    output: Any = tf.sigmoid(x)
    output._keras_logits = x
    return output


def relu(
    x: Any, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0
) -> tf.Tensor:
    """`x` where it is above `threshold`, `alpha * (x - threshold)` below, at most `max_value`.

    >>> tf.keras.activations.relu(tf.constant([-1.0, 2.0]), max_value=1.0).numpy()
    array([0., 1.], dtype=float32)
    """
    if alpha == 0.0 and max_value is None and threshold == 0.0:
        return tf.nn.relu(x)
    x = _tensor(x)
    if alpha != 0.0 and max_value is None and threshold == 0.0:
        return tf.nn.leaky_relu(x, alpha=alpha)
    negative = tf.nn.relu(threshold - x) if threshold else tf.nn.relu(-x)
    kept = x * tf.cast(x > threshold, x.dtype) if threshold else tf.nn.relu(x)
    if max_value is not None:
        kept = tf.clip_by_value(kept, 0, tf.cast(max_value, x.dtype))
    return kept - alpha * negative if alpha != 0.0 else kept


def elu(x: Any, alpha: float = 1.0) -> tf.Tensor:
    """`x` where it is positive, `alpha * (exp(x) - 1)` elsewhere.

    >>> tf.keras.activations.elu(tf.constant([0.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """
    result = tf.nn.elu(x)
    return result if alpha == 1 else tf.where(tf.greater(x, 0), result, alpha * result)


def selu(x: Any) -> tf.Tensor:
    """`elu`, scaled so that mean and variance are kept from layer to layer.

    >>> tf.keras.activations.selu(tf.constant([0.0])).numpy()
    array([0.], dtype=float32)
    """
    return tf.nn.selu(x)


def softplus(x: Any) -> tf.Tensor:
    """`log(1 + exp(x))`.

    >>> tf.keras.activations.softplus(tf.constant([0.0])).numpy()
    array([0.6931472], dtype=float32)
    """
    return tf.math.softplus(x)


def softsign(x: Any) -> tf.Tensor:
    """`x / (1 + |x|)`.

    >>> tf.keras.activations.softsign(tf.constant([1.0])).numpy()
    array([0.5], dtype=float32)
    """
    return tf.nn.softsign(x)


def swish(x: Any) -> tf.Tensor:
    """`x * sigmoid(x)`.

    >>> tf.keras.activations.swish(tf.constant([0.0])).numpy()
    array([0.], dtype=float32)
    """
    return tf.nn.silu(x)


def gelu(x: Any, approximate: bool = False) -> tf.Tensor:
    """`x` times the chance that a normal number is below `x`.

    >>> tf.keras.activations.gelu(tf.constant([0.0])).numpy()
    array([0.], dtype=float32)
    """
    return tf.nn.gelu(x, approximate)


def tanh(x: Any) -> tf.Tensor:
    """The hyperbolic tangent.

    >>> tf.keras.activations.tanh(tf.constant([0.0])).numpy()
    array([0.], dtype=float32)
    """
    return tf.tanh(x)


def exponential(x: Any) -> tf.Tensor:
    """`exp(x)`.

    >>> tf.keras.activations.exponential(tf.constant([0.0])).numpy()
    array([1.], dtype=float32)
    """
    return tf.exp(x)


def hard_sigmoid(x: Any) -> tf.Tensor:
    """`0.2 * x + 0.5`, between 0 and 1.

    >>> tf.keras.activations.hard_sigmoid(tf.constant([0.0, 9.0])).numpy()
    array([0.5, 1. ], dtype=float32)
    """
    x = x if tf.is_tensor(x) else tf.convert_to_tensor(x)
    return tf.clip_by_value(x * 0.2 + 0.5, 0.0, 1.0)


def mish(x: Any) -> tf.Tensor:
    """`x * tanh(softplus(x))`.

    >>> tf.keras.activations.mish(tf.constant([0.0])).numpy()
    array([0.], dtype=float32)
    """
    return x * tf.tanh(tf.math.softplus(x))


def linear(x: Any) -> Any:
    """`x` itself.

    >>> float(tf.keras.activations.linear(tf.constant(2.0)))
    2.0
    """
    return x


_FUNCTIONS = (
    softmax,
    elu,
    selu,
    softplus,
    softsign,
    swish,
    relu,
    gelu,
    tanh,
    sigmoid,
    exponential,
    hard_sigmoid,
    linear,
    mish,
)
_FUNCTION_NAMES = {function.__name__: function for function in _FUNCTIONS} | {"silu": swish}
_LAYERS = ("ReLU", "LeakyReLU", "PReLU", "ELU", "ThresholdedReLU", "Softmax")
_OF_TF = ("leaky_relu", "log_softmax", "relu6")  # functions of `tf.nn` that have names here


def _table() -> Mapping[str, Any]:
    """Names of functions, and of layers that are activations."""
    layers = {name: lookups["layer"].own(name) for name in _LAYERS}
    of_tf = {name: getattr(tf.nn, name) for name in _OF_TF}
    return {**layers, **of_tf, **_FUNCTION_NAMES}


_lookup = Lookup("activation function", _table)
_SAVED_AS = {"softmax_v2": softmax}
_SAVED_NAMES = {"silu": "swish"}
_NAMED = frozenset((*_FUNCTION_NAMES, *_OF_TF))


def serialize(activation: Any, use_legacy_format: bool = False) -> Any:
    """The name of an activation of our own, the config of another.

    >>> tf.keras.activations.serialize(tf.keras.activations.relu)
    'relu'
    """
    if activation is None:
        return None
    if isinstance(activation, types.FunctionType):
        return _function_config(activation, use_legacy_format)
    if not hasattr(activation, "get_config"):
        raise ValueError(
            f"Unknown activation function {activation!r} cannot be serialized: it must be a "
            "function, or an object with `get_config`."
        )
    return _lookup.serialize(activation, use_legacy_format)


def _function_config(function: Any, use_legacy_format: bool) -> Any:
    """A name where that is enough to find a function again."""
    name = get_registered_name(function)
    if use_legacy_format or name in _NAMED:
        return _SAVED_NAMES.get(name, name)
    if name == "<lambda>":
        return _lookup.serialize(function)
    return function_config(name)


def deserialize(name: Any, custom_objects: Any = None, use_legacy_format: bool = False) -> Any:
    """The activation of a name or a config."""
    saved = _SAVED_AS.get(name) if isinstance(name, str) else None
    return saved or _lookup.deserialize(name, custom_objects, use_legacy_format)


def get(identifier: Any) -> Any:
    """An activation from a name, a config, or itself; None is `linear`.

    Args:
        identifier: a name, a config, a class, a function or an object; None gives None.

    >>> tf.keras.activations.get("relu") is tf.keras.activations.relu
    True
    """
    if identifier is None:
        return linear
    if isinstance(identifier, str) and identifier in _FUNCTION_NAMES:
        return get_registered_object(identifier) or _FUNCTION_NAMES[identifier]
    if isinstance(identifier, str | dict):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise TypeError(f"Could not interpret activation function identifier: {identifier}")
