"""Values of calls as Python text, which both processes read.

Arrays, lists and numbers, and the stand-ins of `tests.samples`. What a function gets as an input is
an `Input`, and is written as its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.samples import Made, Symbol, Tensor
from tests.samples.good_calls import Axis, Size, Type


@dataclass
class Input:
    """A tensor, or a composite of tensors, that a traced function gets as an argument."""

    value: Any


def written(value: Any, inputs: list[str]) -> str:
    """The text of a value; those of the inputs in it are added to `inputs`."""
    if isinstance(value, Input):
        inputs.append(_tensor(value.value, inputs))
        return f"a{len(inputs) - 1}"
    if isinstance(value, Axis | Size):
        return written(value.value, inputs)
    if isinstance(value, Symbol | Type):
        return f"tf.{value.name}"
    if isinstance(value, Tensor):
        dtype = "" if value.dtype is None else f", {value.dtype!r}"
        return f"tf.constant({written(value.value, inputs)}{dtype})"
    if isinstance(value, Made):
        return called(f"tf.{value.symbol}", value.args, value.kwargs, inputs)
    if isinstance(value, np.ndarray | np.generic):
        return _array(np.asarray(value))
    if isinstance(value, dict):
        items = (f"{key!r}: {written(item, inputs)}" for key, item in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, list):
        return f"[{', '.join(written(item, inputs) for item in value)}]"
    if isinstance(value, tuple):
        return f"({''.join(written(item, inputs) + ', ' for item in value)})"
    if isinstance(value, type):
        return value.__name__
    return repr(value)


def called(name: str, args: Any, kwargs: dict[str, Any], inputs: list[str]) -> str:
    """The text of a call."""
    given = [written(arg, inputs) for arg in args]
    given += [f"{key}={written(value, inputs)}" for key, value in kwargs.items()]
    return f"{name}({', '.join(given)})"


def _tensor(value: Any, inputs: list[str]) -> str:
    if not isinstance(value, np.ndarray | np.generic):
        return written(value, inputs)
    array = np.asarray(value)
    if array.size == 0:
        return f"tf.zeros({[*array.shape]}, {_dtype(array)!r})"
    return f"tf.constant({numbers(array)!r}, {_dtype(array)!r})"


def _array(array: np.ndarray) -> str:
    if _dtype(array) == "bfloat16":
        return _tensor(array, [])
    if array.size == 0:
        return f"np.zeros({[*array.shape]}, {array.dtype.name!r})"
    return f"np.array({numbers(array)!r}, {array.dtype.name!r})"


def _dtype(array: np.ndarray) -> str:
    return "string" if array.dtype.kind in "OSU" else array.dtype.name


def numbers(array: np.ndarray) -> Any:
    """The elements as Python's numbers, with few digits."""
    if array.dtype.kind in "fc" or array.dtype.name == "bfloat16":
        kind = np.complex128 if array.dtype.kind == "c" else np.float64
        wide = array.astype(kind)
        return np.vectorize(_short, otypes=[kind])(wide).tolist()
    return array.tolist()


def _short(number: Any) -> Any:
    if isinstance(number, complex):
        return complex(_short(number.real), _short(number.imag))
    return float(f"{number:.3g}")
