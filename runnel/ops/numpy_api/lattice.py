"""The dtype that two values have together in the modes "safe" and "all".

Python's numbers are *weak*: they give way to any dtype of their kind, int8 with 1 stays int8. A
*kind* is a dtype and whether it is weak. The kinds form a lattice, drawn below by what stands right
above each, a star for the weak ones; two kinds together are the least one above both. In the mode
"safe" that must have one of the two dtypes, and hold the integers of the other exactly.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from runnel.core.tensor.operators import Operators
from runnel.core.values import dtypes, nest
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.shape import TensorShape
from runnel.ops.numpy_api.preferences import Preferences
from runnel.ops.numpy_api.weak_tensor import WeakTensor

Kind = tuple[DType, bool]

_ABOVE = {
    "bool": "int32*",
    "int32*": "int64*",
    "int64*": "uint8 int8 float32*",
    "uint8": "uint16 int16",
    "uint16": "uint32 int32",
    "uint32": "uint64 int64",
    "uint64": "float64*",
    "int8": "int16",
    "int16": "int32",
    "int32": "int64",
    "int64": "float64*",
    "float32*": "float64*",
    "float64*": "bfloat16 float16 complex128*",
    "bfloat16": "float32",
    "float16": "float32",
    "float32": "float64 complex64",
    "float64": "complex128",
    "complex128*": "complex64",
    "complex64": "complex128",
    "complex128": "",
    "string": "",
}
_DIGITS = {"bfloat16": 8, "float16": 11, "float32": 24, "complex64": 24}
"""How many binary digits a dtype keeps of an integer; all others keep 53."""

_NUMBERS: dict[type, Kind] = {
    bool: (dtypes.bool, False),
    int: (dtypes.int32, True),
    float: (dtypes.float32, True),
    complex: (dtypes.complex128, True),
}


def _kind(text: str) -> Kind:
    return as_dtype(text.rstrip("*")), text.endswith("*")


@cache
def _upwards(kind: Kind) -> frozenset[Kind]:
    """A kind and all above it."""
    above = _ABOVE[kind[0].name + "*" * kind[1]].split()
    return frozenset({kind}).union(*(_upwards(_kind(text)) for text in above))


@cache
def joined(x: Kind, y: Kind) -> Kind | None:
    """The least kind above both; None where there is none."""
    try:
        common = _upwards(x) & _upwards(y)
    except KeyError:
        return x if x == y else None
    return max(common, key=lambda kind: len(_upwards(kind)), default=None)


@cache
def is_safe(x: Kind, y: Kind) -> bool:
    """Whether values of both kinds keep all their bits in the kind they have together."""
    found = joined(x, y)
    if found is None or found[0] not in (x[0], y[0]):
        return False
    lost = y if found[0] is x[0] else x
    if lost[1] or not lost[0].is_integer or found[0].is_integer:
        return True
    bits = lost[0].size * 8
    return bits - (not lost[0].is_unsigned) <= _DIGITS.get(found[0].name, 53)


def kind_of(value: Any) -> Kind:
    """The kind of one value, dtype or type; NotImplementedError for what has none."""
    if isinstance(value, WeakTensor):
        return value.dtype, True
    if isinstance(value, DType):
        return value, False
    if hasattr(value, "_type_spec") and not isinstance(value, Operators):
        raise NotImplementedError(f"{type(value).__name__} has no dtype that could be promoted.")
    dtype = getattr(value, "dtype", None) if not isinstance(value, type) else None
    if isinstance(dtype, DType):
        return dtype, False
    if isinstance(dtype, np.dtype):
        return _of_array(dtype), False
    if isinstance(value, str | bytes):
        return dtypes.string, False
    if isinstance(value, TensorShape):
        return dtypes.int32, False
    return _of_number(value)


def _of_array(dtype: np.dtype) -> DType:
    return dtypes.string if dtype.kind in "OSU" else as_dtype(dtype)


def _of_number(value: Any) -> Kind:
    """The kind of a Python number, or of the type of numbers."""
    for each, kind in _NUMBERS.items():
        if isinstance(value, each) or value is each:
            if each is int and isinstance(value, int) and not -(2**31) <= value < 2**31:
                raise OverflowError(f"Python int {value} too large to convert to np.int32")
            return kind
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return _of_array(np.dtype(value)), False
    raise NotImplementedError(f"{type(value).__name__} has no dtype that could be promoted.")


def common_kind(*values: Any) -> Kind:
    """The kind that values, dtypes and nests of them have together.

    TypeError where the mode is "safe" and bits could be lost; NotImplementedError where there is
    no such kind.
    """
    leaves = nest.flatten([value for value in values if value is not None])
    kinds = [kind_of(leaf) for leaf in leaves] or [(dtypes.float32, True)]
    found = kinds[0]
    for kind in kinds[1:]:
        found = _together(found, kind)
    return found


def _together(x: Kind, y: Kind) -> Kind:
    found = joined(x, y)
    if found is None:
        raise NotImplementedError(f"{x[0].name} and {y[0].name} have no dtype in common.")
    if Preferences.mode == "safe" and not is_safe(x, y):
        raise TypeError(
            f"In the dtype conversion mode 'safe', {_shown(x)} and {_shown(y)} have no common "
            f"dtype: {_shown(found)} could lose bits or is neither of them. Use tf.cast, or the "
            "mode 'all'."
        )
    return found


def _shown(kind: Kind) -> str:
    return f"{kind[0].name}{' (weak)' if kind[1] else ''}"
