"""What operators and functions make of every pair of dtypes in the modes "all" and "safe".

Run on a module with TensorFlow's API: by `make_promotion.py` on TensorFlow, by the tests on Runnel.
The mode holds for the whole process, so the tests run this file in one of their own:

python -m tests.golden.promotion_programs all
"""

from __future__ import annotations

import copy
import json
import operator
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

MODES = ("all", "safe")
STRONG = (
    "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 bfloat16 float16 float32 float64 "
    "complex64 complex128"
).split()
WEAK = "int32 int64 float32 float64 complex128".split()
PYTHON = {"True": True, "2": 2, "2.0": 2.0, "2j": 2j}
ARRAYS = {
    f"np.{name}": np.array([[2, 1], [1, 2]], name) for name in ("int64", "float64", "float32")
}
OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
FUNCTIONS = (
    "add subtract multiply divide pow maximum minimum math.floordiv math.floormod truncatediv "
    "truncatemod realdiv math.divide_no_nan math.multiply_no_nan math.squared_difference "
    "math.atan2 math.xlogy equal not_equal less greater_equal experimental.numpy.add "
    "experimental.numpy.multiply experimental.numpy.true_divide experimental.numpy.matmul "
    "experimental.numpy.maximum experimental.numpy.where_"
).split()
VARIABLES = {
    "assign": lambda v, y: v.assign(y),
    "assign_add": lambda v, y: v.assign_add(y),
    "assign_sub": lambda v, y: v.assign_sub(y),
    "+": lambda v, y: v + y,
    "reflected -": lambda v, y: y - v,
    "*": lambda v, y: v * y,
    "**": lambda v, y: v**y,
}


def operands(tf: Any, weaken: Callable[[Any], Any]) -> dict[str, Any]:
    """A value of each kind by name: tensors, weak ones, Python numbers and arrays."""
    matrix = np.array([[2, 1], [1, 2]])
    strong = {name: tf.constant(matrix.astype(np.float64), tf.float64) for name in STRONG}
    found = {name: tf.cast(value, name) for name, value in strong.items()}
    found |= {f"weak {name}": weaken(found[name]) for name in WEAK}
    return {**found, **PYTHON, **ARRAYS}


def described(function: Callable[..., Any], *args: Any) -> str:
    """The dtype of a result, `*` if it is weak, or the initials of the error's class, in short."""
    try:
        found = function(*args)
    except Exception as error:
        return "!" + re.sub("[a-z]", "", type(error).__name__)
    if not hasattr(found, "dtype"):
        return type(found).__name__
    weak, name = name_of(found).rpartition(" ")[::2]
    return re.sub("([a-z])[a-z]*", r"\1", name) + ("*" if weak else "")


def name_of(found: Any) -> str:
    weak = "weak " if "Weak" in type(found).__name__ else ""
    return weak + getattr(found.dtype, "name", str(found.dtype))


def table(tf: Any, weaken: Callable[[Any], Any]) -> dict[str, dict[str, str]]:
    """The answers by operator or function and left operand, one for each right operand."""
    values = operands(tf, weaken)
    found = {}
    for name, function in OPERATORS.items():
        found[name] = {
            left: _row(function, x, values, _PLAIN if left in _PLAIN else ())
            for left, x in values.items()
        }
    for name, function in _functions(tf).items():
        found[name] = {left: _row(function, x, values) for left, x in values.items()}
    for name, method in VARIABLES.items():
        found[f"variable {name}"] = {
            left: _row(lambda x, y, method=method: method(tf.Variable(x), y), values[left], values)
            for left in STRONG
        }
    return found


_PLAIN = {*PYTHON, *ARRAYS}


def _row(function: Callable[..., Any], x: Any, values: dict[str, Any], left_out: Any = ()) -> str:
    kinds = [described(function, x, y) for right, y in values.items() if right not in left_out]
    return " ".join(kinds)


def _functions(tf: Any) -> dict[str, Callable[..., Any]]:
    numpy = tf.experimental.numpy
    special = {"experimental.numpy.where_": lambda x, y: numpy.where([[True, False]], x, y)}
    return {name: special.get(name) or operator.attrgetter(name)(tf) for name in FUNCTIONS}


def answer(text: str, names: dict[str, Any]) -> Any:
    """What an expression gives: kinds with values, plain data, or the class of the error."""
    try:
        return _plain(eval(text, dict(names)))
    except Exception as error:
        return f"raises {type(error).__name__}"


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if hasattr(value, "numpy"):
        return [name_of(value), _rounded(value.numpy())]
    if isinstance(value, np.ndarray | np.generic):
        return [f"numpy {value.dtype}", _rounded(value)]
    if isinstance(value, float):
        return round(value, 5)
    return value if isinstance(value, int | str | bool | type(None)) else repr(value)


def _rounded(value: Any) -> Any:
    array = np.asarray(value)
    if array.dtype.kind in "cSUO":
        return repr(array.tolist())
    whole = array.dtype.kind in "biu"
    return array.tolist() if whole else np.round(array.astype(np.float64), 4).tolist()


def report(tf: Any, mode: str, weaken: Callable[[Any], Any], **options: Any) -> dict[str, Any]:
    """Everything, in one mode, which this process keeps."""
    tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=mode, **options)
    expressions = (Path(__file__).parent / "promotion_expressions.txt").read_text().splitlines()
    answers = {text: answer(text, _names(tf)) for text in expressions}
    return {"table": table(tf, weaken), "expressions": answers}


def _names(tf: Any) -> dict[str, Any]:
    """What the expressions speak of, made anew for each."""
    vector = np.array([1.0, 2.0])
    kinds = {"f": "float32", "f64": "float64", "i": "int32", "i8": "int8", "u8": "uint8"}
    tensors = {name: tf.cast(tf.constant(vector), dtype) for name, dtype in kinds.items()}
    return {
        **tensors,
        **{function.__name__: function for function in (count, branch, total, names)},
        "tf": tf,
        "np": np,
        "tnp": tf.experimental.numpy,
        "copy": copy,
        "grad": lambda function, x: grad(tf, function, x),
        "w": tf.constant(1.5),
        "wi": tf.constant([1, 2]),
        "b": tf.constant([True, False]),
        "m": tf.constant(np.array([[1, 2]], np.float32)),
        "text": tf.constant(["a", "b"]),
        "v": tf.Variable(vector.astype(np.float32)),
        "vi": tf.Variable(vector.astype(np.int32)),
    }


def grad(tf: Any, function: Callable[[Any], Any], x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return [y, tape.gradient(y, x)]


def count(x: Any) -> Any:
    while x < 3:
        x = x + 1
    return x


def branch(x: Any) -> Any:
    if x > 1:
        y = x * 2
    else:
        y = x - 1
    return y


def total(x: Any) -> Any:
    found = x[0] * 0
    for each in x:
        found += each
    return found


def names(x: Any) -> Any:
    y = x + 1
    return [y, y.dtype.name, "Weak" in type(y).__name__]


if __name__ == "__main__":
    import runnel
    from runnel.ops.numpy_api.weak_tensor import WeakTensor

    print(json.dumps(report(runnel, sys.argv[1], WeakTensor.from_tensor)))
