"""The attributes of ops: what a caller gave, as an op keeps it, and as users see it."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.values.array_protos import array_of
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import InvalidArgumentError, bad_dtype, describe_value
from runnel.core.values.shape import TensorShape

# Attributes whose name in `tf.raw_ops` is not the one in graphs.
ATTRIBUTE_NAMES = {"Squeeze": {"axis": "squeeze_dims"}}


def attribute(op_name: str, key: str, kind: str, value: Any) -> Any:
    """An attribute as it is kept: hashable, and of its kind; TypeError for what cannot be."""
    if kind.startswith("DType"):
        return _dtype(op_name, key, value)
    if kind.startswith("TensorShape"):
        return value if isinstance(value, TensorShape) else TensorShape(value)
    if "FuncGraph" in kind:
        return tuple(map(_graph, value)) if kind.startswith("tuple") else _graph(value)
    if kind == "Any" and hasattr(value, "tensor_shape"):  # a `TensorProto`
        return array_of(value)
    one = _ONE.get(kind)
    many = _MANY.get(kind)
    try:
        if one is not None:
            return one(value)
        if many is not None and not isinstance(value, str | bytes | dict):
            return tuple([many(v) for v in value])
    except (TypeError, ValueError, OverflowError, AttributeError):  # the last of tensors' `index`
        many = many or one
    if many is not None:
        got = describe_value(value)
        message = f"{op_name}: `{key}` must be {_NAMES[kind]}, got {got}. [Op:{op_name}]"
        if value is None and kind in _MANY:  # to TensorFlow, a list that is missing
            raise InvalidArgumentError(None, None, message)
        raise TypeError(message)
    if isinstance(value, list):
        return tuple(tuple(v) if isinstance(v, list) else v for v in value)
    return value.item() if isinstance(value, np.generic) else value


def _graph(value: Any) -> Any:
    """The graph of a concrete function, or a graph itself."""
    return value.graph if hasattr(value, "inference_fn") else value


def _dtype(op_name: str, key: str, value: Any) -> DType:
    if value is None:
        raise TypeError(f"{op_name}: `{key}` must be a dtype, got None. [Op:{op_name}]")
    try:
        return as_dtype(value)
    except TypeError:
        if type(value) is not int:
            raise
        raise bad_dtype(op_name, want="be a dtype", **{key: value}) from None


def _int(value: Any) -> int:
    """A whole number; the whole part of a float, as TensorFlow takes it."""
    if type(value) is int:
        return value
    is_float = isinstance(value, float | np.floating) or getattr(
        getattr(value, "dtype", None), "is_floating", False
    )
    return int(value) if is_float else operator.index(value)


def _float(value: Any) -> float:
    if isinstance(value, numbers.Real | np.generic):
        return float(value)
    raise TypeError


def _bool(value: Any) -> bool:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise TypeError


def _str(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        return value
    raise TypeError


_ONE: dict[str, Callable[[Any], Any]] = {
    "int": _int,
    "float": _float,
    "bool": _bool,
    "str": _str,
}
_MANY: dict[str, Callable[[Any], Any]] = {
    "tuple": _int,
    "tuple[float, ...]": _float,
    "tuple[str, ...]": _str,
    "tuple[DType, ...]": as_dtype,
    "tuple[TensorShape, ...]": TensorShape,
}
_NAMES = {
    "int": "an integer",
    "float": "a number",
    "bool": "True or False",
    "str": "a string",
    "tuple": "a list of integers",
    "tuple[float, ...]": "a list of numbers",
    "tuple[str, ...]": "a list of strings",
    "tuple[DType, ...]": "a list of dtypes",
    "tuple[TensorShape, ...]": "a list of shapes",
}


def shown(value: Any) -> Any:
    """A kept attribute as `get_attr` gives it: bytes, lists, and shapes as messages."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, tuple | list):
        return [shown(v) for v in value]
    return value.as_proto() if isinstance(value, TensorShape) else value


def shown_message(proto: Any) -> Any:
    """What an `AttrValue` holds, as `get_attr` gives it."""
    field = proto.WhichOneof("value")
    if field == "list":
        for kind, values in proto.list.ListFields():
            return [as_dtype(v) for v in values] if kind.name == "type" else list(values)
        return []
    value = getattr(proto, field)
    return as_dtype(value) if field == "type" else value
