"""TensorFlow functions on `KerasTensor`s, as layers of a functional model."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import runnel as tf
from runnel.keras.engine.base_layer import Layer
from runnel.keras.engine.keras_tensor import KerasTensor, has_keras_tensors
from runnel.keras.engine.naming import unique_name

_NAMESPACES = (
    *("math", "nn", "linalg", "image", "signal", "strings", "random", "sparse", ""),
    "keras.backend",
)


def _getitem(tensor: Any, slice_spec: Any) -> Any:
    return tensor[_slices(slice_spec)]


def _slices(spec: Any) -> Any:
    """Slices that were saved as dicts, as slices."""
    if isinstance(spec, dict) and set(spec) == {"start", "stop", "step"}:
        return slice(spec["start"], spec["stop"], spec["step"])
    if isinstance(spec, list | tuple):
        return tuple(_slices(part) for part in spec)
    return spec


def _plain_slices(spec: Any) -> Any:
    if isinstance(spec, slice):
        return {"start": spec.start, "stop": spec.stop, "step": spec.step}
    if isinstance(spec, list | tuple):
        return [_plain_slices(part) for part in spec]
    return spec


def _matmul(x: Any, y: Any) -> Any:
    return x @ y


OPERATORS: dict[str, Any] = {
    "add": lambda x, y, name=None: tf.add(x, y),
    "getitem": _getitem,
    "matmul": _matmul,
    "eq": lambda x, y: tf.equal(x, y),
    "ne": lambda x, y: tf.not_equal(x, y),
}
"""The functions that have names in `tf.__operators__` only."""


def find_function(symbol: str) -> Any:
    """The function of a name such as `math.multiply` or `__operators__.add`."""
    if symbol.startswith("__operators__."):
        return OPERATORS[symbol.removeprefix("__operators__.")]
    found: Any = tf
    for part in symbol.split("."):
        found = getattr(found, part)
    return found


@functools.cache
def _symbols() -> dict[int, str]:
    """The names of public functions, by their identity."""
    found: dict[int, str] = {}
    for namespace in _NAMESPACES:
        home = find_function(namespace) if namespace else tf
        for name, value in vars(home).items():
            if callable(value) and not name.startswith("_"):
                found.setdefault(id(value), f"{namespace}.{name}".lstrip("."))
    found.update((id(fn), f"__operators__.{name}") for name, fn in OPERATORS.items())
    return found


def symbol_of(function: Any) -> str | None:
    """The public name of a function."""
    return _symbols().get(id(function))


class TFOpLambda(Layer):
    """The call of a TensorFlow function."""

    _saved_module = "tf_keras.src.layers.core.tf_op_layer"
    _converts_inputs = False  # a number takes the dtype of the tensor beside it

    def __init__(self, function: Any, **kwargs: Any) -> None:
        if isinstance(function, str):
            function = find_function(function)
        self.function = function
        self.symbol = symbol_of(function) or getattr(function, "__name__", "function")
        if "name" not in kwargs:
            kwargs["name"] = unique_name(f"tf.{self.symbol}")
        kwargs["autocast"] = False
        super().__init__(**kwargs)
        self._call_spec.expects_mask = self._call_spec.expects_training = False
        self._preserve_structure = True
        self.built = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def _name_scope(self) -> str:
        return self._name.replace("__", "").strip(".")

    def get_config(self) -> dict[str, Any]:
        if symbol_of(self.function) is None:
            raise ValueError(
                f"This Keras op layer was generated from {self.function}, which is not part of "
                "the public API and so cannot be saved."
            )
        return {**super().get_config(), "function": self.symbol}


class SlicingOpLambda(TFOpLambda):
    """`x[...]` of a `KerasTensor`."""


def call_function(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a TensorFlow function on `KerasTensor`s, wherever they are among the arguments."""
    kind = SlicingOpLambda if function is _getitem else TFOpLambda
    return kind(function)._call_symbolically(args[0], args[1:], kwargs)


def call_as_layer(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call any function on `KerasTensor`s as one layer, its arguments named where they can be."""
    if not args:
        first = next(iter(inspect.signature(function).parameters))
        args, kwargs = (kwargs[first],), {k: v for k, v in kwargs.items() if k != first}
    rest, kwargs = _split(function, args[1:], kwargs)
    return call_function(function, args[0], *rest, **kwargs)


class KerasDispatcher(tf.__internal__.dispatch.GlobalOpDispatcher):
    """Makes a layer of each TensorFlow function that is called on a `KerasTensor`."""

    def handle(self, op: Any, args: Any, kwargs: Any) -> Any:
        if not has_keras_tensors(args, kwargs) or not args:
            return self.NOT_SUPPORTED
        return call_as_layer(op, args, kwargs)


def _split(
    function: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments after the first: by name, but for those that have their defaults."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return rest, kwargs
    given = {p.name: value for p, value in zip(parameters, rest)} | kwargs
    defaults = {p.name: p.default for p in parameters}
    return (), {name: v for name, v in given.items() if v is not defaults.get(name, given)}


@functools.cache
def watch_functions() -> None:
    """Have the public functions of TensorFlow ask for layers; done when it is first needed."""
    KerasDispatcher().register()


KerasTensor.when_made = staticmethod(watch_functions)


def _binary(function: Any) -> Any:
    return lambda self, other: call_function(function, self, other)


def _reflected(function: Any) -> Any:
    return lambda self, other: call_function(function, other, self)


def _unary(function: Any) -> Any:
    return lambda self: call_function(function, self)


_BINARY = {
    "add": OPERATORS["add"],
    "sub": tf.subtract,
    "mul": tf.multiply,
    "truediv": tf.math.truediv,
    "floordiv": tf.math.floordiv,
    "mod": tf.math.floormod,
    "pow": tf.pow,
    "matmul": _matmul,
    "and": tf.logical_and,
    "or": tf.logical_or,
}
_COMPARISONS = {
    "lt": tf.less,
    "le": tf.less_equal,
    "gt": tf.greater,
    "ge": tf.greater_equal,
    "eq": OPERATORS["eq"],
    "ne": OPERATORS["ne"],
}
_UNARY = {"neg": tf.negative, "abs": tf.abs, "invert": tf.logical_not}


def _sliced(tensor: Any, spec: Any) -> Any:
    return call_function(_getitem, tensor, slice_spec=_plain_slices(spec))


def _install() -> None:
    """Give `KerasTensor` the operators of tensors."""
    for name, function in _BINARY.items():
        setattr(KerasTensor, f"__{name}__", _binary(function))
        setattr(KerasTensor, f"__r{name}__", _reflected(function))
    for name, function in _COMPARISONS.items():
        setattr(KerasTensor, f"__{name}__", _binary(function))
    for name, function in _UNARY.items():
        setattr(KerasTensor, f"__{name}__", _unary(function))
    setattr(KerasTensor, "__getitem__", _sliced)  # noqa: B010 (mypy takes it for a generic)


_install()
