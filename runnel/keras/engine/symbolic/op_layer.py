"""TensorFlow functions on `KerasTensor`s, as layers of a functional model."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import runnel as tf
from runnel.keras.engine import graph_mode
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.naming import unique_name
from runnel.keras.saving.config_errors import reads_config
from .function_names import OPERATORS, named_class, named_function, plain_slices, symbol_of
from .keras_tensor import KerasTensor, RaggedKerasTensor, has_keras_tensors


class TFOpLambda(Layer):
    """The call of a TensorFlow function."""

    _saved_module = "tf_keras.src.layers.core.tf_op_layer"
    _converts_inputs = False  # a number takes the dtype of the tensor beside it

    def __init__(self, function: Any, **kwargs: Any) -> None:
        if isinstance(function, str):
            function = named_function(function)
        self.function = function
        self.symbol = symbol_of(function) or getattr(function, "__name__", "function")
        if "name" not in kwargs:
            kwargs["name"] = unique_name(f"tf.{self.symbol}")
        kwargs["autocast"] = False
        super().__init__(**kwargs)
        self._call_spec.expects_mask = self._call_spec.expects_training = False
        self._preserve_structure = True

    def call(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def get_config(self) -> dict[str, Any]:
        if symbol_of(self.function) is None:
            raise ValueError(
                f"This Keras op layer was generated from {self.function}, which is not part of "
                "the public API and so cannot be saved."
            )
        return {**super().get_config(), "function": self.symbol}


class SlicingOpLambda(TFOpLambda):
    """`x[...]` of a `KerasTensor`."""


class ClassMethod(Layer):
    """The call of a class method that makes a tensor, such as `tf.RaggedTensor.from_tensor`."""

    _saved_module = "tf_keras.src.layers.core.tf_op_layer"
    _converts_inputs = False

    def __init__(self, cls_ref: Any, method_name: str, **kwargs: Any) -> None:
        if isinstance(cls_ref, str):
            cls_ref = named_class(cls_ref, method_name)
        self.cls_ref = cls_ref
        self.method_name = method_name
        self.cls_symbol = symbol_of(self.cls_ref) or self.cls_ref.__name__
        if "name" not in kwargs:
            kwargs["name"] = unique_name(f"tf.{self.cls_symbol}.{method_name}")
        kwargs["autocast"] = False
        super().__init__(**kwargs)
        self._call_spec.expects_mask = self._call_spec.expects_training = False
        self._preserve_structure = True

    def call(self, args: Any, kwargs: Any) -> Any:
        method = getattr(self.cls_ref, self.method_name, None)
        if method is None:
            raise TypeError(f"{self.cls_ref!r} has no method {self.method_name!r}.")
        return method(*args, **kwargs)

    def get_config(self) -> dict[str, Any]:
        own = {"cls_symbol": self.cls_symbol, "method_name": self.method_name}
        return {**super().get_config(), **own}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> ClassMethod:
        rest = dict(config)
        return cls(rest.pop("cls_symbol"), **rest)


def call_function(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a TensorFlow function on `KerasTensor`s, wherever they are among the arguments."""
    if graph_mode.uses_run():
        args, kwargs = tf.nest.map_structure(_in_run, (args, kwargs))
        return function(*args, **kwargs)
    kind = SlicingOpLambda if function in _SLICING else TFOpLambda
    return kind(function)._call_symbolically(args[0], args[1:], kwargs)


def _in_run(value: Any) -> Any:
    return graph_mode.value_in_run(value) if isinstance(value, KerasTensor) else value


def call_as_layer(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call any function on `KerasTensor`s as one layer, its arguments named where they can be."""
    if not args:
        first = next(iter(inspect.signature(function).parameters))
        args, kwargs = (kwargs[first],), {k: v for k, v in kwargs.items() if k != first}
    rest, kwargs = _split(function, args[1:], kwargs)
    return call_function(function, args[0], *rest, **kwargs)


def call_class_method(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a class method, whose first argument is the class, on `KerasTensor`s as one layer."""
    cls, *given = args
    parameters = list(inspect.signature(function).parameters.values())[1:]
    needed = [p for p in parameters if p.default is p.empty]
    rest = {p.name: v for p, v in zip(parameters, given) if p not in needed and v is not p.default}
    layer = ClassMethod(cls, function.__name__)
    return layer._call_symbolically(tuple(given[: len(needed)]), (), {"kwargs": {**rest, **kwargs}})


class KerasDispatcher(tf.__internal__.dispatch.GlobalOpDispatcher):
    """Makes a layer of each TensorFlow function that is called on a `KerasTensor`."""

    def handle(self, op: Any, args: Any, kwargs: Any) -> Any:
        slicing = _sliced if op is tf.__internal__.dispatch.getitem else None
        slicing = _sliced_rows if op is tf.RaggedTensor.__getitem__ else slicing
        if slicing is not None:
            symbolic = has_keras_tensors(plain_slices(args[1]))
            return slicing(*args) if symbolic else self.NOT_SUPPORTED
        if not has_keras_tensors(args, kwargs) or not args:
            return self.NOT_SUPPORTED
        answer = call_class_method if isinstance(args[0], type) else call_as_layer
        return answer(op, args, kwargs)


def _split(
    function: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments after the first: by name, but for those that have their defaults."""
    parameters = list(inspect.signature(function).parameters.values())
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return rest, kwargs
    parameters = parameters[1:]
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
    return lambda self, other: call_function(function, _number_like(self, other), self)


def _number_like(tensor: Any, other: Any) -> Any:
    """A whole number becomes a float before a tensor of floats, as operators have it."""
    floats = tensor.dtype.is_floating and isinstance(other, int)
    return float(other) if floats else other


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
    "matmul": tf.linalg.matmul,
    "and": tf.logical_and,
    "or": tf.logical_or,
    "xor": tf.math.logical_xor,
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
    return call_function(OPERATORS["getitem"], tensor, slice_spec=plain_slices(spec))


def _sliced_rows(tensor: Any, spec: Any) -> Any:
    return call_function(OPERATORS["ragged_getitem"], tensor, key=plain_slices(spec))


_SLICING = (OPERATORS["getitem"], OPERATORS["ragged_getitem"])
_RAGGED = {
    "__add__": _binary(tf.add),
    "__radd__": _reflected(tf.add),
    "__getitem__": _sliced_rows,
}


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
    for name, method in _RAGGED.items():
        setattr(RaggedKerasTensor, name, method)


_install()
