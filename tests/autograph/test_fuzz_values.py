"""Random programs with arrays, lists, strings, ragged rows, state and calls: one answer everywhere.

The programs of `test_fuzz.py` are arithmetic on scalars. These also use what a graph treats in ways
of its own: vectors of unknown length, `tf.TensorArray`, lists that grow, Python's nests, variables,
`tf.py_function`, functions inside functions, and the loops that are functions.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import runnel as tf
from tests.autograph.test_fuzz import _indented, _loaded

_NAMES = ("a", "b")
_ATOMS = (
    *_NAMES,
    "x",
    "half",
    "v[0]",
    "v[-1]",
    "tf.reduce_mean(v)",
    "size(s)",
    "p[0]",
    "p[1]['q']",
)


@st.composite
def expressions(draw: st.DrawFn, depth: int = 1) -> str:
    """A scalar between -1 and 1, or nearly so."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(_ATOMS))
    left, right = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    kind = draw(st.sampled_from(["{} + {}", "{} - {}", "{} * {}", "tf.sin({}) + {}"]))
    return f"tf.tanh({kind.format(left, right)})"


@st.composite
def conditions(draw: st.DrawFn) -> str:
    left, right = draw(expressions()), draw(expressions())
    simple = f"{left} {draw(st.sampled_from(['<', '>=']))} {right}"
    forms = ["{0}", "{0}", "not {0}", "{0} and n > 1", "{0} or size(s) > 0.2", "-0.5 < {1} <= 0.75"]
    return draw(st.sampled_from(forms)).format(simple, left)


def _simple(draw: st.DrawFn, name: str) -> list[str]:
    """A statement without statements in it."""
    value, other, test = draw(expressions()), draw(expressions()), draw(conditions())
    kinds = {
        "assign": [f"{name} = {value}"],
        "ternary": [f"{name} = {value} if {test} else {other}"],
        "walrus": [f"if (w := {value}) > 0.25:", f"    {name} = w * 0.5"],
        "string": [f"s = tf.strings.join([s, tf.strings.as_string(n), {name!r}])"],
        "vector": [f"v = tf.roll(v, 1, 0) * 0.5 + {value}"],
        "element": [f"v = tf.tensor_scatter_nd_update(v, [[n % 2]], [{value}])"],
        "pair": [f"p = ({value}, {{'q': p[0]}})"],
        "python": [f"{name} = halved({value})"],
        "read": [f"{name} = tf.tanh(u + {value})"],
        "state": [f"u.assign(tf.tanh(u * 0.5 + {value}))"],
        "switch": [
            f"choices = [lambda: {value}, lambda: {other}, lambda: 0.25 * {name}]",
            f"{name} = tf.switch_case(n % 3, choices)",
        ],
        "map": [f"{name} = tf.tanh(tf.reduce_sum(tf.map_fn(lambda q: tf.sin(q * {value}), v)))"],
        "fold": [f"{name} = tf.foldl(lambda t, q: tf.tanh(t * q + {other}), v, {value})"],
        "scan": [f"v = tf.scan(lambda t, q: tf.tanh(t + q * {other}), v, {value})"],
        "ragged": [
            "rows = tf.RaggedTensor.from_row_lengths(v, [1, tf.size(v) - 1])",
            f"{name} = tf.tanh(tf.reduce_sum(tf.reduce_max(rows * {value}, axis=1)))",
        ],
        "comprehension": [f"{name} = tf.tanh(sum([q * {value} for q in v]))"],
        "mask": [f"{name} = tf.tanh(tf.reduce_sum(tf.boolean_mask(v, v > {value})))"],
        "sorted": [f"v = tf.sort(v) * {value}"],
    }
    return kinds[draw(st.sampled_from(list(kinds)))]


@st.composite
def statements(draw: st.DrawFn, depth: int, looping: bool) -> list[str]:
    name = draw(st.sampled_from(_NAMES))
    kinds = ["simple"] * 4
    if looping:
        kinds += ["break", "continue"]
    if depth > 0:
        kinds += ["if", "for", "each", "while", "array", "list", "function", "try", "return"]
    kind = draw(st.sampled_from(kinds))
    test, value = draw(conditions()), draw(expressions())
    if kind == "simple":
        return _simple(draw, name)
    if kind in ("break", "continue"):
        return [f"if {test}:", f"    {kind}"]
    if kind == "return":
        return [f"if {test}:", f"    return {value} + 0.0 * x, s"]
    return _compound(draw, kind, name, test, value, depth, looping)


def _compound(
    draw: st.DrawFn, kind: str, name: str, test: str, value: str, depth: int, looping: bool
) -> list[str]:
    """A statement with a block inside."""

    def block(inside: bool) -> list[str]:
        return _indented(draw(blocks(depth - 1, inside)))

    i = f"i{depth}"
    if kind == "if":
        other = ["else:", *block(looping)] if draw(st.booleans()) else []
        return [f"if {test}:", *block(looping), *other]
    if kind == "for":
        return [f"for {i} in tf.range(n):", *block(True)]
    if kind == "each":
        return [f"for {i}, e in enumerate(v):", f"    {name} = tf.tanh({name} + e)", *block(True)]
    if kind == "while":
        head = [f"{i} = 0", f"while {i} < n and ({test}):", f"    {i} += 1"]
        return [*head, *block(True)]
    if kind == "array":
        made = "tf.TensorArray(tf.float64, 0, dynamic_size=True, element_shape=[])"
        write = f"    t{depth} = t{depth}.write({i}, {value})"
        loop = [f"for {i} in tf.range(n + 1):", *block(False), write]
        return [f"t{depth} = {made}", *loop, f"{name} = tf.tanh(tf.reduce_sum(t{depth}.stack()))"]
    if kind == "list":
        loop = [f"for {i} in tf.range(n + 1):", *block(False), f"    l{depth}.append({value})"]
        total = f"{name} = tf.tanh(tf.reduce_sum(tf.stack(l{depth})))"
        return [f"l{depth} = []", *loop, total]
    if kind == "try":
        return ["try:", *block(False), "finally:", f"    {name} = {name} * 0.5"]
    inner = [f"    if {test}:", f"        return tf.tanh(y * {value})", "    return y"]
    return [f"def f{depth}(y):", *inner, f"{name} = f{depth}({value})"]


@st.composite
def blocks(draw: st.DrawFn, depth: int, looping: bool) -> list[str]:
    count = draw(st.integers(1, 2))
    return [line for _ in range(count) for line in draw(statements(depth, looping))]


@st.composite
def programs(draw: st.DrawFn) -> str:
    lines = [
        "half = tf.constant(0.5, tf.float64)",
        "a, b, s = x * 1.5, x - half, tf.constant('')",
        "v = x * tf.linspace(tf.constant(0.25, tf.float64), 1.0, n + 2)",
        "p = (x, {'q': a * b})",
        *draw(blocks(2, False)),
        "return a + b * tf.reduce_sum(v) + p[1]['q'] + u, s",
    ]
    return "\n".join(["def program(x, n):", *_indented(lines), ""])


def _answers(make: Callable[[Any], Any], source: str, value: float, count: int) -> list[Any]:
    """Result, text, gradient and the variable afterwards; a second call starts from there."""
    program = _loaded(source)
    u = tf.Variable(0.25, dtype=tf.float64)
    space = program.__globals__
    space.update(u=u, size=_size, halved=_halved)
    run, found = make(program), []
    for _ in range(2):
        x, n = tf.constant(value, tf.float64), tf.constant(count)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, text = run(x, n)
        gradient = tape.gradient(y, x)
        found += [y.numpy(), 0.0 if gradient is None else gradient.numpy(), u.numpy()]
    return [found, text.numpy()]


def _size(text: Any) -> Any:
    return tf.cast(tf.strings.length(text), tf.float64) * 0.0625


def _halved(value: Any) -> Any:
    return tf.ensure_shape(tf.py_function(lambda q: q * 0.5 + 0.125, [value], tf.float64), [])


@settings(
    max_examples=int(os.environ.get("RUNNEL_FUZZ", "12")),
    deadline=None,
    derandomize="RUNNEL_FUZZ" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
@given(programs(), st.sampled_from([-1.25, 0.125, 0.75]), st.integers(0, 3), st.booleans())
def test_random_programs_with_values_of_all_kinds_agree(
    source: str, value: float, count: int, compiled: bool
) -> None:
    want, text = _answers(lambda fn: fn, source, value, count)
    traced = lambda fn: tf.function(fn, jit_compile=compiled or None)  # noqa: E731
    got, told = _answers(traced, source, value, count)
    np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-9, err_msg=source)
    assert told == text, source
