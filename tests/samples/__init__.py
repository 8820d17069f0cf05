"""The tables that the conformance suite runs: inputs as plain data, with neither Runnel nor
TensorFlow.

`tests/samples/ops_*.py` hold one `sample(...)` or more for every op: what `tf.raw_ops` is called
with. `tests/samples/calls_*.py` hold `call(...)` rows: public functions by name, bad input among
them. `tests/golden/make_golden.py` asks TensorFlow for the answers; `tests/test_conformance.py`
compares.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Sample:
    """One call of an op: inputs in order (a list for a list input), and attributes.

    gradient: whether to compare gradients (where TensorFlow has one).
    second: whether to compare gradients of gradients.
    exact: compare bit for bit. tolerance: relative and absolute, else by dtype.
    differences: whether to compare the gradient with finite differences (off at kinks).
    judged: False when TensorFlow's CPU kernel cannot run this sample; no golden answer then.
    """

    op: str
    inputs: tuple[Any, ...]
    attrs: dict[str, Any]
    gradient: bool = True
    second: bool = True
    exact: bool = False
    tolerance: float | None = None
    differences: bool = True
    judged: bool = True
    id: str = ""


@dataclass
class Call:
    """One call of a public function, such as `call("math.reduce_std", x, axis=0)`."""

    symbol: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    exact: bool = False
    tolerance: float | None = None
    id: str = ""
    options: dict[str, Any] = field(default_factory=dict)


_OPTIONS = ("gradient", "second", "exact", "tolerance", "differences", "judged")


def sample(op: str, *inputs: Any, **attrs: Any) -> Sample:
    """A row for an op; the options of `Sample` are keywords too.

    Dtypes in attributes are strings.
    """
    options = {key: attrs.pop(key) for key in _OPTIONS if key in attrs}
    return Sample(op, inputs, attrs, **options)


def call(
    symbol: str, *args: Any, _exact: bool = False, _tolerance: float | None = None, **kwargs: Any
) -> Call:
    """A row for a public function (`symbol` without the leading `tf.`).

    Arguments are Python values and NumPy arrays. `tensor(x)` stands for `tf.constant(x)`, and
    `symbol("int32")` for `tf.int32`; both are put in place when the call is made, also inside
    lists.
    """
    return Call(symbol, args, kwargs, _exact, _tolerance)


@dataclass
class Tensor:
    """Stands for `tf.constant(value, dtype)` in a call."""

    value: Any
    dtype: str | None = None


@dataclass
class Held:
    """Stands for the handle of a variable with this value; the answer holds its value afterwards
    too.
    """

    value: Any


@dataclass
class Handle:
    """Stands for the handle of a table or a queue that some methods have been called on."""

    symbol: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    calls: tuple[tuple[Any, ...], ...]


@dataclass
class Symbol:
    """Stands for a public name of the module, such as `tf.int32`."""

    name: str


@dataclass
class Made:
    """Stands for the result of another call, such as `made("ragged.constant", [[1], [2, 3]])`."""

    symbol: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def tensor(value: Any, dtype: str | None = None) -> Tensor:
    return Tensor(value, dtype)


def variable(value: Any) -> Held:
    return Held(value)


def handle(name: str, *args: Any, calls: Any = (), **kwargs: Any) -> Handle:
    """`handle("queue.FIFOQueue", 5, "int32", calls=[("enqueue", 1)])`: of a queue with one element."""
    return Handle(name, args, kwargs, tuple(calls))


def symbol(name: str) -> Symbol:
    return Symbol(name)


def made(name: str, *args: Any, **kwargs: Any) -> Made:
    return Made(name, args, kwargs)


def floats(
    *shape: int, low: float = -2.0, high: float = 2.0, seed: int = 0, dtype: str = "float32"
) -> np.ndarray:
    """Uniform random floats, the same every time."""
    values = np.random.default_rng([seed, *shape]).uniform(low, high, shape)
    return np.asarray(values, np.dtype(dtype) if dtype != "bfloat16" else _bfloat16())


def positive(
    *shape: int, low: float = 0.2, high: float = 3.0, seed: int = 0, dtype: str = "float32"
) -> np.ndarray:
    return floats(*shape, low=low, high=high, seed=seed, dtype=dtype)


def complexes(*shape: int, seed: int = 0, dtype: str = "complex64") -> np.ndarray:
    return (floats(*shape, seed=seed) + 1j * floats(*shape, seed=seed + 1)).astype(dtype)


def ints(
    *shape: int, low: int = -5, high: int = 6, seed: int = 0, dtype: str = "int32"
) -> np.ndarray:
    return np.asarray(np.random.default_rng([seed, *shape]).integers(low, high, shape), dtype)


def bools(*shape: int, seed: int = 0) -> np.ndarray:
    return np.asarray(np.random.default_rng([seed, *shape]).integers(0, 2, shape), bool)


def strings(*values: Any) -> np.ndarray:
    """An object array of bytes."""
    array = np.empty(len(values), object)
    array[:] = [v.encode() if isinstance(v, str) else v for v in values]
    return array


def _bfloat16() -> Any:
    import ml_dtypes

    return np.dtype(ml_dtypes.bfloat16)


def families(prefix: str) -> list[str]:
    """The names of the tables: `ops_math` for `tests/samples/ops_math.py`."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name.startswith(prefix))


def rows(family: str) -> list[Any]:
    """The rows of one table, each with an id: the op or symbol and its number among those of that
    name.
    """
    table = importlib.import_module(f"{__name__}.{family}").ROWS
    count: dict[str, int] = {}
    for row in table:
        name = row.op if isinstance(row, Sample) else row.symbol
        count[name] = count.get(name, 0) + 1
        row.id = f"{name}-{count[name]}"
    return table


def weights(shape: tuple[int, ...], dtype: Any, salt: int = 0) -> np.ndarray:
    """The gradient that is sent into an output: fixed, and different in every element."""
    size = int(np.prod(shape, dtype=int))
    values = 0.3 + np.cos(np.arange(size) * 1.7 + salt)
    return values.reshape(shape).astype(dtype)
