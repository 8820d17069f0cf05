"""Running a row on a module with TensorFlow's API: TensorFlow itself when recording, Runnel when
testing.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import numpy as np

from tests.samples import Call, Handle, Held, Made, Sample, Symbol, Tensor, weights

SEED = 87  # every row starts the random numbers anew, so that rows can be run in any order


def fingerprint(row: Sample | Call) -> int:
    """A number that changes with the row, so that an answer to another question is noticed."""
    text = repr([_plain(v) for v in (vars(row).items())])
    return zlib.crc32(text.encode())


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        data = (
            value.tolist()
            if value.dtype == object
            else zlib.crc32(np.ascontiguousarray(value).tobytes())
        )
        return (str(value.dtype), value.shape, data)
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return sorted((k, _plain(v)) for k, v in value.items())
    if isinstance(value, Tensor | Symbol | Made | Held | Handle):
        return (type(value).__name__, _plain(vars(value)))
    return repr(value)


def run_sample(tf: Any, row: Sample) -> dict[str, Any]:
    """Outputs (`out0` …), gradients (`grad0` …) and second gradients (`second0` …), or `error`."""
    answer: dict[str, Any] = {}
    tf.random.set_seed(SEED)
    try:
        inputs = [tensors_of(tf, v) for v in row.inputs]
        with tf.GradientTape() as outer:
            watched = [t for t in _flat(inputs) if _is_float(t)]
            outer.watch(watched)
            with tf.GradientTape() as inner:
                inner.watch(watched)
                outputs = call_op(tf, row, inputs)
            gradients = _gradients(tf, row, inner, outputs, watched, "gradient")
            answer.update({f"out{i}": value_of(t) for i, t in enumerate(_flat(outputs))})
            answer.update(_states(tf, row, inputs))
            flat = [g for g in gradients if g is not None]
        answer.update({f"grad{i}": value_of(g) for i, g in enumerate(gradients) if g is not None})
        second = _gradients(tf, row, outer, flat, watched, "second")
        answer.update({f"second{i}": value_of(g) for i, g in enumerate(second) if g is not None})
    except Exception as error:  # the class is the answer
        answer["error"] = type(error).__name__
        answer["message"] = str(error)[:300]
    return answer


def _states(tf: Any, row: Sample, inputs: list[Any]) -> dict[str, Any]:
    """The values of the variables among the inputs, after the op."""
    if row.op == "DestroyResourceOp":
        return {}
    held = [
        (given, handle)
        for given, handle in zip(row.inputs, inputs, strict=True)
        if isinstance(given, Held)
    ]
    return {
        f"state{i}": value_of(
            tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.as_dtype(given.value.dtype))
        )
        for i, (given, handle) in enumerate(held)
    }


def call_op(tf: Any, row: Sample, inputs: list[Any]) -> Any:
    op = getattr(tf.raw_ops, row.op, None) or _compiled_op(tf, row.op)
    names = _input_names(row.op)
    attrs = {key: _attr(tf, key, value) for key, value in row.attrs.items()}
    return op(**dict(zip(names, inputs, strict=True)), **attrs)


def _compiled_op(tf: Any, name: str) -> Any:
    """An op that TensorFlow keeps out of `tf.raw_ops`, in a function of its own."""
    import importlib
    import re

    ops = importlib.import_module("tensorflow.compiler.tf2xla.ops.gen_xla_ops")
    op = getattr(ops, re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower())

    def call(**given: Any) -> Any:
        constant = lambda v: tf.constant(v.numpy()) if hasattr(v, "numpy") else v  # noqa: E731

        def run() -> Any:
            return op(**tf.nest.map_structure(constant, given))

        return tf.function(run, jit_compile=True, autograph=False)()

    return call


_DEFS: dict[str, Any] = {}


def op_defs() -> dict[str, Any]:
    """TensorFlow's registrations, recorded in tests/golden/op_defs.json."""
    if not _DEFS:
        import pathlib

        path = pathlib.Path(__file__).parent.parent / "golden" / "op_defs.json"
        _DEFS.update(json.loads(path.read_text()))
    return _DEFS


def _input_names(op: str) -> list[str]:
    fact = op_defs()[op]
    renames = fact.get("renames", {})
    return [renames.get(i[0], i[0]) for i in fact["inputs"]]


def _attr(tf: Any, key: str, value: Any) -> Any:
    if isinstance(value, Symbol):
        return getattr(tf, value.name)
    return value


def tensors_of(tf: Any, value: Any) -> Any:
    if isinstance(value, list):
        return [tensors_of(tf, v) for v in value]
    if isinstance(value, Held):
        _variables.append(tf.Variable(value.value))
        return _variables[-1].handle
    if isinstance(value, Handle):
        return _handle(tf, value)
    if isinstance(value, Tensor):
        return tf.constant(value.value, dtype=value.dtype)
    return tf.constant(value)


def _handle(tf: Any, value: Handle) -> Any:
    """The handle of a new table or queue."""
    kwargs = {key: _fill(tf, v) for key, v in value.kwargs.items()}
    made = resolve(tf, value.symbol)(*_fill(tf, value.args), **kwargs)
    for method, *args in value.calls:
        getattr(made, method)(*_fill(tf, args))
    _variables.append(made)
    return made.queue_ref if hasattr(made, "queue_ref") else made.resource_handle


_variables: list[Any] = []  # a handle is good only as long as its variable is kept


def _flat(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in _flat(part)]
    return [value]


def _is_float(tensor: Any) -> bool:
    return bool(tensor.dtype.is_floating or tensor.dtype.is_complex)


def _gradients(
    tf: Any, row: Sample, tape: Any, outputs: Any, watched: list[Any], what: str
) -> list[Any]:
    wanted = row.gradient and (what == "gradient" or row.second)
    targets = [t for t in _flat(outputs) if _is_float(t)]
    if not wanted or not targets or not watched:
        return []
    arriving = [
        tf.constant(weights(tuple(t.shape), t.dtype.as_numpy_dtype, i))
        for i, t in enumerate(targets)
    ]
    try:
        found = tape.gradient(targets, watched, output_gradients=arriving)
    except LookupError:
        return []
    return [None if g is None else tf.convert_to_tensor(g) for g in found]


def run_call(tf: Any, row: Call) -> dict[str, Any]:
    """The result of a public call as flat components (`out0` …) with a `kind`, or `error`."""
    tf.random.set_seed(SEED)
    try:
        function = resolve(tf, row.symbol)
        args, kwargs = _fill(tf, row.args), {k: _fill(tf, v) for k, v in row.kwargs.items()}
        return describe(tf, function(*args, **kwargs))
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)[:300]}


def resolve(tf: Any, name: str) -> Any:
    value = tf
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _fill(tf: Any, value: Any) -> Any:
    if isinstance(value, Tensor):
        return tf.constant(value.value, dtype=value.dtype)
    if isinstance(value, Symbol):
        return resolve(tf, value.name)
    if isinstance(value, Made):
        made_args = _fill(tf, value.args)
        return resolve(tf, value.symbol)(
            *made_args, **{k: _fill(tf, v) for k, v in value.kwargs.items()}
        )
    if isinstance(value, list | tuple):
        return type(value)(_fill(tf, v) for v in value)
    if isinstance(value, dict):
        return {k: _fill(tf, v) for k, v in value.items()}
    return value


def describe(tf: Any, result: Any) -> dict[str, Any]:
    """Tensors, composites and nests of them, flat; other objects by `repr`."""
    answer: dict[str, Any] = {"kind": _kind(tf, result)}
    for i, leaf in enumerate(tf.nest.flatten(result, expand_composites=True)):
        if hasattr(leaf, "dtype") and hasattr(leaf, "shape"):
            answer[f"out{i}"] = value_of(leaf)
        else:
            answer[f"text{i}"] = repr(leaf)
    return answer


def _kind(tf: Any, result: Any) -> Any:
    if isinstance(result, dict):
        return {str(k): _kind(tf, result[k]) for k in sorted(result, key=str)}
    if isinstance(result, list | tuple):
        return [_kind(tf, r) for r in result]
    name = type(result).__name__
    return "Tensor" if isinstance(result, tf.Tensor) else name


def value_of(tensor: Any) -> np.ndarray:
    if tensor.dtype == "resource":
        return np.array(b"resource")
    return np.asarray(tensor.numpy() if hasattr(tensor, "numpy") else tensor)
