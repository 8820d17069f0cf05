"""Every op and every recorded call against TensorFlow's answers, and each op against itself.

For each sample of an op: the NumPy and the XLA kernel agree, the shape rule is right, values and
gradients are TensorFlow's, gradients agree with finite differences, eager and traced runs agree.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import runnel as tf
from runnel.backend import jax as xla
from runnel.backend.jax import jnp
from runnel.core.op import op as op_module
from runnel.core.op.raw import raw_ops
from runnel.core.state.resource import VariableResource
from runnel.core.values.types import Spec
from tests.samples import Call, Sample, families, rows, store, weights
from tests.samples.answers import (
    _flat,
    _is_float,
    call_op,
    fingerprint,
    run_call,
    run_sample,
    tensors_of,
)
from tests.tables import table

PROGRAMS = Path(__file__).parent / "golden" / "cases_raw_ops.py"
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5, "complex64": 2e-5}
_OLDER_NUMPY = np.lib.NumpyVersion(np.__version__) < "2.3.0"
"""It writes some numbers otherwise than the fingerprints were made of."""
_answers: dict[str, Any] = {}


SAMPLES = [(family, row) for family in families("ops_") for row in rows(family)]
CALLS = [(family, row) for family in families("calls_") for row in rows(family)]


def _id(case: tuple[str, Sample | Call]) -> str:
    return case[1].id


def _op(family: str, row: Sample) -> str:
    return f"{family}-{row.op}"


each_sample = table("family, row", SAMPLES, ids=_id, by=_op)


def _is_early(row: Sample) -> bool:
    """Whether a row is one of the first few of its op."""
    return int(row.id.rpartition("-")[2]) <= 4


def golden(family: str, row: Sample | Call) -> dict[str, Any]:
    if family not in _answers:
        _answers[family] = store.load(family)
    answer = _answers[family].get(row.id)
    assert answer is not None, f"no golden answer for {row.id}: run `make golden`"
    assert _OLDER_NUMPY or answer["fingerprint"] == fingerprint(row), (
        f"{row.id} changed since it was recorded: run `make golden`"
    )
    return answer


def assert_same(
    got: np.ndarray, want: np.ndarray, row: Sample | Call, what: str, scale: float = 1.0
) -> None:
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype, f"{what}: dtype {got.dtype}, TensorFlow {want.dtype}"
    assert got.shape == want.shape, f"{what}: shape {got.shape}, TensorFlow {want.shape}"
    if row.exact or want.dtype == object or want.dtype.kind in "biuS":
        assert np.array_equal(got, want), f"{what}: {got!r}, TensorFlow {want!r}"
        return
    tolerance = (row.tolerance or TOLERANCE.get(want.dtype.name, 1e-9)) * scale
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    np.testing.assert_allclose(
        got.astype(wide), want.astype(wide), rtol=tolerance, atol=tolerance, err_msg=what
    )


def assert_answer(got: dict[str, Any], want: dict[str, Any], row: Sample | Call) -> None:
    if "error" in want:
        assert got.get("error") == want["error"], (
            f"TensorFlow: {want['error']} {want['message']}; got {got}"
        )
        return
    assert "error" not in got, f"{got['error']}: {got['message']}"
    ignored = ("fingerprint", "dtypes", "message")
    keys = {k for k in want if k not in ignored}
    assert {k for k in got if k not in ignored} >= keys, f"missing {keys - set(got)}"
    for key in sorted(keys):
        if isinstance(want[key], np.ndarray):
            assert_same(
                got[key], want[key], row, key, scale=10.0 if key.startswith("second") else 1.0
            )
        else:
            assert got[key] == want[key], f"{key}: {got[key]!r}, TensorFlow {want[key]!r}"


@each_sample
@pytest.mark.smoke
def test_op_agrees_with_tensorflow(family: str, row: Sample) -> None:
    answer = run_sample(tf, row)
    if not row.judged:
        assert "error" not in answer, answer
        return
    assert_answer(answer, golden(family, row), row)


def _op_and_arguments(row: Sample) -> tuple[Any, list[Any], dict[str, Any]]:
    op = getattr(raw_ops, row.op)
    inputs = [tensors_of(tf, v) for v in row.inputs]
    args, attrs = op.bind(inputs, dict(row.attrs))
    if op.has_lists:
        args, attrs = op.flatten(args, attrs)
    return op, list(op.convert(args, attrs)), attrs


def _valid(family: str, row: Sample) -> bool:
    return not row.judged or "error" not in golden(family, row)


def _compilable(inputs: list[Any]) -> bool:
    """XLA has neither strings nor quantized numbers."""
    return not any(t.dtype is tf.string or t.dtype.is_quantized for t in inputs)


class _Kernel(NamedTuple):
    """The kernel of an op with what a row gives it, where both namespaces have it."""

    op: Any
    values: list[Any]
    attrs: dict[str, Any]

    @staticmethod
    def of(family: str, row: Sample) -> _Kernel | None:
        if not _valid(family, row):
            return None
        op, inputs, attrs = _op_and_arguments(row)
        assert not (op.host and op.xla)
        if op.host or op.xla or op.state is not None or not _compilable(inputs):
            return None
        return _Kernel(op, [t._value for t in inputs], attrs)

    def on(self, moving: Sequence[Any]) -> list[Any]:
        """What it gives on other values than its own, where these need not be known."""
        rest, places = iter(moving), self.op.static_places(self.attrs)
        values = [v if i in places else next(rest) for i, v in enumerate(self.values)]
        return _flat(self.op.run(jnp, values, self.attrs))

    def moving(self) -> list[Any]:
        places = self.op.static_places(self.attrs)
        return [v for i, v in enumerate(self.values) if i not in places]


@functools.lru_cache(maxsize=1)
def _compiled_together(family: str, op: str) -> dict[str, list[Any]]:
    """What XLA gives for all rows of an op, as one program: most of the time goes into compiling.

    Nothing where there is a row that cannot be compiled; each is compiled alone then.
    """
    own = [row for row in rows(family) if row.op == op]
    kernels = {row.id: kernel for row in own if (kernel := _Kernel.of(family, row))}
    program = xla.compile(
        lambda *given: [k.on(moving) for k, moving in zip(kernels.values(), given, strict=True)]
    )
    try:
        found = program(*(kernel.moving() for kernel in kernels.values()))
    except Exception:
        return {}
    return dict(zip(kernels, found, strict=True))


@each_sample
def test_the_two_namespaces_agree(family: str, row: Sample) -> None:
    kernel = _Kernel.of(family, row)
    if kernel is None:
        return
    with np.errstate(all="ignore"):
        plain = kernel.op.run(np, kernel.values, kernel.attrs)
    compiled = _compiled_together(family, row.op).get(row.id)
    if compiled is None:
        compiled = op_module.eager.run_compiled(*kernel)
    for a, b in zip(_flat(plain), _flat(compiled), strict=True):
        assert_same(np.asarray(b), np.asarray(a), row, "XLA against NumPy", scale=4.0)


@each_sample
@pytest.mark.smoke
def test_shape_rule_is_right(family: str, row: Sample) -> None:
    op, inputs, attrs = _op_and_arguments(row) if _valid(family, row) else (None, [], {})
    if op is None or op.shape is None or op.state is not None:
        assert op is None or op.host or op.shape is None or op.state is not None
        return
    outputs = _flat(call_op(tf, row, [tensors_of(tf, v) for v in row.inputs]))
    full = [Spec(t._value.shape, t.dtype, np.asarray(t._value)) for t in inputs]
    assert_dims(op, op.infer(full, attrs), outputs, exact=not op.host)
    ranks = [Spec((None,) * len(s.dims or ()), s.dtype) for s in full]
    if attrs.get("incompatible_shape_error", True):  # else TensorFlow takes sizes to fit, as here
        assert_dims(op, op.infer(ranks, attrs), outputs, exact=False)
    assert_dims(op, op.infer([Spec(None, s.dtype) for s in full], attrs), outputs, exact=False)


def assert_dims(op: Any, inferred: Any, outputs: list[Any], *, exact: bool) -> None:
    dims = (
        [inferred]
        if op.single
        else [d for part in inferred for d in (part if isinstance(part, list) else [part])]
    )
    assert len(dims) == len(outputs), f"{op.name}: rule gives {dims}"
    for found, output in zip(dims, outputs, strict=True):
        real = tuple(output.shape)
        if exact:
            assert tuple(found) == real, f"{op.name}: rule {found}, real {real}"
        elif found is not None:
            assert len(found) == len(real), f"{op.name}: rule {found}, real {real}"
            assert all(f in (None, r) for f, r in zip(found, real, strict=True)), (
                f"rule {found}, real {real}"
            )


@each_sample
def test_traced_runs_agree_with_eager(family: str, row: Sample) -> None:
    op, inputs, attrs = _op_and_arguments(row) if _valid(family, row) else (None, [], {})
    if op is None or op.state == "own" or (op.stateful and op.host):  # each run has its own answer
        assert op is None or op.stateful
        return
    eager = _flat(call_op(tf, row, [tensors_of(tf, v) for v in row.inputs]))
    static = op.static_places(attrs)
    moving = [t for i, t in enumerate(inputs) if i not in static]

    @tf.function(autograph=False)
    def traced(*given: Any) -> Any:
        rest = iter(given)
        flat = [t if i in static else next(rest) for i, t in enumerate(inputs)]
        made = op_module.execute(op, flat, attrs)
        return _flat(made) if op.outputs else []  # an operation without outputs is no result

    before = [(t._value, t._value.value) for t in moving if isinstance(t._value, VariableResource)]
    unknown = [tf.TensorSpec([None] * len(t.shape), t.dtype) for t in moving]
    for specs, compiled in ((moving, False), (unknown, _is_early(row))):
        concrete = traced.get_concrete_function(*specs)
        plan = concrete.plan
        values = [t._value for t in (*moving, *concrete.captured_inputs)]
        for run in (plan.program.interpret, plan.run_compiled)[: 2 if compiled else 1]:
            for resource, value in before:
                resource.assign(value)
            for a, b in zip(run(values), eager, strict=True):
                assert_same(np.asarray(a), np.asarray(b._value), row, "traced", scale=4.0)
        assert not [why for why in plan.cuts.values() if "XLA cannot compile it" in why]


@table("family, row", [case for case in SAMPLES if _is_early(case[1])], ids=_id, by=_op)
def test_gradient_in_a_graph_agrees_with_the_eager_one(family: str, row: Sample) -> None:
    op, inputs, attrs = _op_and_arguments(row) if _valid(family, row) else (None, [], {})
    places = (
        [] if op is None else [i for i in range(len(inputs)) if i not in op.static_places(attrs)]
    )
    floats = [i for i in places if _is_float(inputs[i])]
    if op is None or not row.gradient or op.stateful or not floats:
        assert op is None or not floats or op.stateful or not row.gradient
        return

    def gradient(*given: Any) -> Any:
        flat = list(inputs)
        for place, tensor in zip(places, given, strict=True):
            flat[place] = tensor
        watched = [flat[i] for i in floats]
        with tf.GradientTape() as tape:
            tape.watch(watched)
            outputs = [t for t in _flat(op_module.execute(op, flat, attrs)) if _is_float(t)]
        found = tape.gradient(outputs, watched)
        return [tf.convert_to_tensor(g) for g in found if g is not None]

    moving = [inputs[i] for i in places]
    try:
        eager = gradient(*moving)
    except LookupError:
        eager = []
    for a, b in zip(_traced(gradient, moving) if eager else [], eager, strict=True):
        assert_same(np.asarray(a), np.asarray(b._value), row, "gradient in a graph", scale=4.0)


def _traced(gradient: Any, moving: list[Any]) -> list[Any]:
    """What a gradient gives when it is traced without knowing sizes, or with, where it must."""
    function = tf.function(gradient, autograph=False)
    try:
        specs = [tf.TensorSpec([None] * len(t.shape), t.dtype) for t in moving]
        concrete = function.get_concrete_function(*specs)
    except NotImplementedError:
        concrete = function.get_concrete_function(*moving)
    return concrete.plan.program.interpret([t._value for t in (*moving, *concrete.captured_inputs)])


def _as_double(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_double(v) for v in value]
    return (
        value.astype(np.float64)
        if isinstance(value, np.ndarray) and value.dtype == np.float32
        else value
    )


def _total(row: Sample, inputs: list[Any]) -> Any:
    outputs = [t for t in _flat(call_op(tf, row, inputs)) if _is_float(t)]
    return sum(
        tf.reduce_sum(t * weights(tuple(t.shape), t.dtype.as_numpy_dtype, i))
        for i, t in enumerate(outputs)
    )


@each_sample
def test_gradient_agrees_with_finite_differences(family: str, row: Sample) -> None:
    if not (row.gradient and row.differences and _valid(family, row)):
        assert True, "a row that says so has no differences to compare"
        return
    data = [_as_double(v) for v in row.inputs]
    try:
        inputs = [tensors_of(tf, v) for v in data]
        watched = [t for t in _flat(inputs) if t.dtype is tf.float64]
        with tf.GradientTape() as tape:
            tape.watch(watched)
            total = _total(row, inputs)
        found = tape.gradient(total, watched) if isinstance(total, tf.Tensor) else []
    except (LookupError, tf.errors.InvalidArgumentError):
        found = []  # no gradient, or not for float64
    if not found or all(g is None for g in found):
        return
    step = 1e-6
    directions = [np.cos(np.arange(t._value.size) * 2.3).reshape(t.shape) for t in watched]
    moved = [_move(data, directions, sign * step) for sign in (1, -1)]
    ends = [float(_total(row, [tensors_of(tf, v) for v in m])) for m in moved]
    slope = (ends[0] - ends[1]) / (2 * step)
    predicted = sum(
        float(np.sum(tf.convert_to_tensor(g).numpy() * d))
        for g, d in zip(found, directions, strict=True)
        if g is not None
    )
    assert predicted == pytest.approx(slope, rel=1e-4, abs=1e-5)


def _move(value: Any, directions: list[np.ndarray], step: float) -> Any:
    rest = iter(directions)

    def shift(v: Any) -> Any:
        if isinstance(v, list):
            return [shift(part) for part in v]
        is_double = isinstance(v, np.ndarray) and v.dtype == np.float64
        return v + step * next(rest) if is_double else v

    return [shift(v) for v in value]


@table("family, row", CALLS, ids=_id, by=lambda family, row: family)
@pytest.mark.smoke
def test_call_agrees_with_tensorflow(family: str, row: Call) -> None:
    assert_answer(run_call(tf, row), golden(family, row), row)


def _needs_a_program(name: str) -> bool:
    """Whether an op takes what no table can hold: a graph, a list, an iterator, or what a caller of
    a graph feeds.
    """
    op = getattr(raw_ops, name)
    if op.kernel.__module__.startswith("runnel.data."):
        return True
    variant = any(arg.fixed is tf.variant for arg in (*op.inputs, *op.outputs))
    return op.lower is not None or variant or name == "Placeholder"


def _in_programs() -> set[str]:
    """The ops that the programs of raw ops are about."""
    return set(re.findall(r"\b(?:raw_)?ops\.([A-Z]\w+)\b", PROGRAMS.read_text()))


def test_every_op_has_a_sample() -> None:
    sampled = {row.op for family in families("ops_") for row in rows(family)} | _in_programs()
    lacking = sorted(n for n in set(dir(tf.raw_ops)) - sampled if not _needs_a_program(n))
    assert not lacking, f"ops without a sample: {lacking}"
