"""Calls of public functions and raw ops, made of calls that other tests have.

Each begins as a row of `tests/samples` that works. Some arguments are then changed: dtypes, shapes,
numbers, what holds them, and arguments that were left out. It is called eagerly, in a function of
known or unknown shapes, or under a tape.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tests.compare.changing import (
    arrays,
    changed,
    everywhere,
    other_dtype_everywhere,
    other_size_everywhere,
)
from tests.compare.writing import Input, called, written
from tests.robustness.calls import SKIPPED, known
from tests.samples import Handle, Held, Made, Tensor
from tests.samples.good_calls import Case

MODES = ("eager", "function", "unknown", "gradient")
_MOST = 600  # elements of an array

# What is not called besides, and why.
_LEFT_OUT = {
    "others compare it": "keras. losses. metrics. optimizers. initializers. data. compat.",
    "it needs NumPy's behaviour": "experimental.numpy",
    "it changes the process": "random.set_seed random.set_global config. debugging.set",
    "it draws from no seed": "random.create_rng_state random.get_global raw_ops.NonDeterm",
    "it prints, or tells the time": "print raw_ops.Print timestamp",
    "TensorFlow keeps it out of tf.raw_ops": "raw_ops.Xla",
    "it asks for files": "io.gfile io.read io.write saved_model. summary. train. raw_ops.Save",
}


@dataclass(frozen=True)
class Program:
    """One call: what is called, the arguments, and how."""

    symbol: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    mode: str
    parts: tuple[Program, ...] = ()  # the same with one of several changes alone


def program(rng: random.Random) -> Program:
    """A call with up to three changes."""
    bases = _bases()
    is_raw = rng.random() < 0.3
    symbol = rng.choice([name for name in bases if name.startswith("raw_ops.") == is_raw])
    case = rng.choice(bases[symbol])
    keys = {key: _entered(value) for key, value in case.kwargs.items()}
    made = Program(symbol, tuple(map(_entered, case.args)), keys, rng.choice([*MODES, "eager"]))
    changes = [rng.random() for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))]
    parts = tuple(_with_change(made, random.Random(one)) for one in changes if len(changes) > 1)
    return replace(_with_changes(made, changes), parts=parts)


def _with_changes(made: Program, changes: Iterable[float]) -> Program:
    for each in changes:
        made = _with_change(made, random.Random(each))
    return made


def _with_change(made: Program, rng: random.Random) -> Program:
    way = rng.random()
    if way < 0.3 or not (made.args or made.kwargs):
        both = other_dtype_everywhere([made.args, made.kwargs], rng)
        return replace(made, args=both[0], kwargs=both[1])
    if way < 0.4:
        both = other_size_everywhere([made.args, made.kwargs], rng)
        return replace(made, args=both[0], kwargs=both[1])
    place = rng.randrange(len(made.args) + len(made.kwargs))
    if place < len(made.args):
        args = [*made.args]
        args[place] = changed(args[place], rng)
        return replace(made, args=tuple(args))
    key = [*made.kwargs][place - len(made.args)]
    return replace(made, kwargs={**made.kwargs, key: changed(made.kwargs[key], rng)})


def _entered(value: Any) -> Any:
    """The argument with its arrays and tensors as inputs."""
    if isinstance(value, Tensor):
        array = np.asarray(value.value)
        plain = value.dtype is None and array.dtype in (np.float32, np.int32)
        return Input(array) if plain else Input(value)
    if isinstance(value, Made):
        return Input(value) if _is_composite(value) else value
    if isinstance(value, np.ndarray | np.generic):
        return Input(np.asarray(value))
    if isinstance(value, list | tuple):
        return type(value)(_entered(item) for item in value)
    return value


def _is_composite(value: Made) -> bool:
    return value.symbol.startswith(("ragged.", "sparse.from_dense", "SparseTensor", "RaggedTensor"))


@functools.cache
def _bases() -> dict[str, list[Case]]:
    left_out = tuple(" ".join([*_LEFT_OUT.values(), *SKIPPED.values()]).split())
    found: dict[str, list[Case]] = {}
    for case in known():
        if not case.symbol.startswith(left_out) and not _is_heavy([*case.args, case.kwargs]):
            found.setdefault(case.symbol, []).append(case)
    return found


def _is_heavy(value: Any) -> bool:
    """Whether there are large arrays, or handles of tables and variables."""
    if isinstance(value, Held | Handle) or callable(value):
        return True
    if isinstance(value, list | tuple):
        return any(map(_is_heavy, value))
    if isinstance(value, dict):
        return any(map(_is_heavy, value.values()))
    if isinstance(value, Made):
        return _is_heavy([*value.args, value.kwargs])
    return isinstance(value, np.ndarray) and value.size > _MOST


def sent(made: Program) -> dict[str, Any]:
    """The texts that a process reads."""
    inputs: list[str] = []
    name = made.symbol
    args = made.args
    if name.startswith("."):
        name, args = f"{written(args[0], inputs)}{name}", args[1:]
    else:
        name = f"tf.{name}"
    call = called(name, args, made.kwargs, inputs)
    return {"call": call, "inputs": inputs, "mode": made.mode}


def asides(made: Program, theirs: Any, ours: Any) -> list[Program]:
    """Programs whose answers tell whether a difference is meant."""
    if not isinstance(theirs, dict) or not isinstance(ours, dict) or "error" not in ours:
        return []
    if "error" in theirs:
        return [*made.parts]
    return [] if made.mode == "function" else [replace(made, mode="function", parts=())]


def label(made: Program) -> str:
    """Programs of one label are shown once."""
    return made.symbol


def smaller(made: Program) -> Iterator[Program]:
    """Programs with less in them."""
    if made.mode != "eager":
        yield replace(made, mode="eager")
    for key in made.kwargs:
        yield replace(made, kwargs={k: v for k, v in made.kwargs.items() if k != key})
    if len(made.args) > 1:
        yield replace(made, args=made.args[:-1])
    for most in (1, 2):
        both = everywhere([made.args, made.kwargs], functools.partial(_cut, most))
        if any(map(_is_longer, arrays([made.args, made.kwargs]), arrays(both))):
            yield replace(made, args=both[0], kwargs=both[1])


def _is_longer(array: np.ndarray, other: np.ndarray) -> bool:
    return array.size > other.size


def _cut(most: int, item: Any) -> Any:
    if not isinstance(item, np.ndarray | np.generic):
        return item
    return np.asarray(np.asarray(item)[tuple(slice(most) for _ in np.shape(item))])


def answer(tf: Any, text: dict[str, Any]) -> Any:
    """What comes of a call: structure, dtypes, shapes and values; or the class of an error."""
    names = {"tf": tf, "np": np, "nan": np.nan, "inf": np.inf}
    tf.random.set_seed(87)
    try:
        inputs = [eval(one, names) for one in text["inputs"]]
    except Exception as error:
        return {"input": type(error).__name__}
    code = compile(text["call"], "call", "eval")

    def call(*values: Any) -> Any:
        return eval(code, {**names, **{f"a{i}": value for i, value in enumerate(values)}})

    try:
        return _RUN[text["mode"]](tf, call, inputs)
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)[:300]}


def _eager(tf: Any, call: Any, inputs: list[Any]) -> Any:
    result = call(*inputs)
    leaves = tf.nest.flatten(result, expand_composites=True)
    return {"kind": _kind(tf, result), "given": [_leaf(tf, leaf) for leaf in leaves]}


def _function(tf: Any, call: Any, inputs: list[Any]) -> Any:
    return _traced(tf, call, inputs, [tf.type_spec_from_value(value) for value in inputs])


def _unknown(tf: Any, call: Any, inputs: list[Any]) -> Any:
    specs = [tf.type_spec_from_value(value) for value in inputs]
    for place, spec in enumerate(specs):
        if isinstance(spec, tf.TensorSpec):
            dims = None if place % 2 else [None] * len(spec.shape)
            specs[place] = tf.TensorSpec(dims, spec.dtype)
    return _traced(tf, call, inputs, specs)


def _traced(tf: Any, call: Any, inputs: list[Any], specs: list[Any]) -> Any:
    seen: dict[str, Any] = {}

    def body(*values: Any) -> Any:
        result = call(*values)
        leaves = tf.nest.flatten(result, expand_composites=True)
        tensors = [leaf for leaf in leaves if isinstance(leaf, tf.Tensor)]
        seen["kind"] = _kind(tf, result)
        seen["static"] = [str(tensor.shape) for tensor in tensors]
        seen["rest"] = [_leaf(tf, leaf) for leaf in leaves if not isinstance(leaf, tf.Tensor)]
        return tensors

    given = tf.function(body, input_signature=specs, autograph=False)(*inputs)
    return {**seen, "given": [_leaf(tf, tensor) for tensor in given]}


def _gradient(tf: Any, call: Any, inputs: list[Any]) -> Any:
    with tf.GradientTape() as tape:
        watched = [v for v in inputs if isinstance(v, tf.Tensor) and v.dtype.is_floating]
        tape.watch(watched)
        result = call(*inputs)
        leaves = tf.nest.flatten(result, expand_composites=True)
        targets = [t for t in leaves if isinstance(t, tf.Tensor) and t.dtype.is_floating]
    given = tape.gradient(targets, watched) if targets and watched else []
    return {"given": [_leaf(tf, leaf) for leaf in tf.nest.flatten(given, expand_composites=True)]}


_RUN = {"eager": _eager, "function": _function, "unknown": _unknown, "gradient": _gradient}


def _kind(tf: Any, result: Any) -> Any:
    if isinstance(result, tf.Tensor):
        return "Tensor"
    if isinstance(result, tf.Variable):
        return "Variable"
    name = type(result).__name__
    if isinstance(result, dict):
        return {name: {str(key): _kind(tf, result[key]) for key in sorted(result, key=str)}}
    if isinstance(result, list | tuple):
        return {name: [_kind(tf, item) for item in result]}
    return name


def _leaf(tf: Any, leaf: Any) -> Any:
    if not isinstance(leaf, tf.Tensor | np.ndarray | np.generic):
        if isinstance(leaf, tf.Variable):
            return "Variable"
        plain = leaf is None or isinstance(leaf, bool | int | float | str | bytes)
        return repr(leaf) if plain else type(leaf).__name__
    if isinstance(leaf, tf.Tensor) and leaf.dtype in (tf.resource, tf.variant):
        return [leaf.dtype.name]
    array = np.asarray(leaf.numpy() if isinstance(leaf, tf.Tensor) else leaf)
    name = leaf.dtype.name if isinstance(leaf, tf.Tensor) else f"numpy {array.dtype.name}"
    if array.size > 4 * _MOST:
        return [name, [*array.shape]]
    return [name, [*array.shape], _values(array)]


def _values(array: np.ndarray) -> list[Any]:
    flat = array.reshape(-1)
    if array.dtype.kind == "c":
        return [part for number in flat.tolist() for part in (number.real, number.imag)]
    if array.dtype.kind in "OSU":
        return [v.decode("latin1") if isinstance(v, bytes) else str(v) for v in flat.tolist()]
    if array.dtype.names:
        flat = flat[array.dtype.names[0]]
    return flat.tolist() if flat.dtype.kind in "iub" else flat.astype(np.float64).tolist()
