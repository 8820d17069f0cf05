"""Random small programs give the same eagerly, traced, compiled, and so do their gradients."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import runnel as tf

_NAMES = ("a", "b", "c")
_OPERATORS = ("+", "-", "*")


@st.composite
def expressions(draw: st.DrawFn, depth: int = 2) -> str:
    """Arithmetic on the variables; bounded, so that loops do not overflow."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([*_NAMES, "half", "x"]))
    left, right = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    return f"tf.tanh({left} {draw(st.sampled_from(_OPERATORS))} {right})"


@st.composite
def conditions(draw: st.DrawFn) -> str:
    left, right = draw(expressions(1)), draw(expressions(1))
    simple = f"{left} {draw(st.sampled_from(['<', '>', '<=', '>=']))} {right}"
    kind = draw(st.sampled_from(["", "", "not", "and", "or", "chain"]))
    other = f"{draw(st.sampled_from(_NAMES))} > 0.25"
    if kind in ("and", "or"):
        return f"{simple} {kind} {other}"
    if kind == "chain":
        return f"-0.5 < {left} <= {right}"
    return f"not {simple}" if kind else simple


@st.composite
def statements(draw: st.DrawFn, depth: int, looping: bool) -> list[str]:
    """One statement, as lines."""
    kinds = ["assign", "assign", "augment"]
    if depth > 0:
        kinds += ["if", "if", "for", "while", "python_for", "return_if"]
    if looping:
        kinds += ["break_if", "continue_if"]
    kind = draw(st.sampled_from(kinds))
    name = draw(st.sampled_from(_NAMES))
    if kind == "assign":
        return [f"{name} = {draw(expressions())}"]
    if kind == "augment":
        return [f"{name} {draw(st.sampled_from(['+', '-']))}= 0.25 * {draw(expressions(1))}"]
    if kind == "return_if":
        return [f"if {draw(conditions())}:", f"    return {draw(expressions(1))} + 0.0 * x"]
    if kind in ("break_if", "continue_if"):
        return [f"if {draw(conditions())}:", f"    {kind.removesuffix('_if')}"]
    if kind == "if":
        lines = [f"if {draw(conditions())}:", *_indented(draw(blocks(depth - 1, looping)))]
        if draw(st.booleans()):
            lines += [f"elif {draw(conditions())}:", *_indented(draw(blocks(depth - 1, looping)))]
        if draw(st.booleans()):
            lines += ["else:", *_indented(draw(blocks(depth - 1, looping)))]
        return lines
    body = _indented(draw(blocks(depth - 1, True)))
    if kind == "for":
        return [f"for i in tf.range({draw(st.sampled_from(['n', '2', 'n + 1']))}):", *body]
    if kind == "python_for":
        return ["for _ in range(2):", *body]
    counter = f"k{depth}"
    head = [
        f"{counter} = 0",
        f"while {counter} < n and ({draw(conditions())}):",
        f"    {counter} += 1",
    ]
    return [*head, *body]


@st.composite
def blocks(draw: st.DrawFn, depth: int, looping: bool) -> list[str]:
    count = draw(st.integers(1, 3))
    return [line for _ in range(count) for line in draw(statements(depth, looping))]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


@st.composite
def programs(draw: st.DrawFn) -> str:
    body = draw(blocks(2, False))
    lines = ["half = tf.constant(0.5, tf.float64)", "a = x * 1.5", "b = x + half", "c = half - 2.0"]
    lines += [*body, "return a + b * c"]
    return "\n".join(["def program(x, n):", *_indented(lines), ""])


def _loaded(source: str) -> Any:
    """The function of a source text, which AutoGraph can find again."""
    file = f"<fuzz {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space: dict[str, Any] = {"tf": tf}
    exec(compile(source, file, "exec"), space)
    return space["program"]


def _with_gradient(fn: Any, x: Any, n: Any) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x, n)
    gradient = tape.gradient(y, x)
    return [y.numpy(), 0.0 if gradient is None else gradient.numpy()]


CONSTANT_CONDITION = """\
def program(x, n):
    half = tf.constant(0.5, tf.float64)
    a = x * 1.5
    if -0.5 < half <= half:
        for i in tf.range(2):
            a = tf.tanh(half + a)
            if -0.5 < a <= x:
                break
    else:
        for i in tf.range(n):
            a = tf.tanh(a)
    return a
"""
LOOP_IN_A_BRANCH = """\
def program(x, n):
    a, b = x * 1.5, x + 0.5
    if tf.tanh(a) < a:
        a = tf.tanh(a)
    elif a < tf.tanh(a):
        k = 0
        while k < n and (tf.tanh(a) <= b or b > 0.25):
            k += 1
            b = tf.tanh(x - b)
    return a + b
"""


@example(CONSTANT_CONDITION, 0.75, 1)  # a choice that can be made while tracing
@example(LOOP_IN_A_BRANCH, 0.75, 3)  # a list that the branch not taken would have saved
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(programs(), st.sampled_from([-1.25, 0.125, 0.75]), st.integers(0, 3))
def test_random_programs_agree(source: str, value: float, count: int) -> None:
    program = _loaded(source)
    x, n = tf.constant(value, tf.float64), tf.constant(count)
    want = _with_gradient(program, x, n)
    traced = tf.function(program)
    np.testing.assert_allclose(traced(x, n).numpy(), want[0], rtol=1e-9, err_msg=source)
    np.testing.assert_allclose(_with_gradient(traced, x, n), want, rtol=1e-9, err_msg=source)
    if value > 0.5:  # compiling takes a second or two
        compiled = tf.function(program, jit_compile=True)
        np.testing.assert_allclose(_with_gradient(compiled, x, n), want, rtol=1e-9, err_msg=source)
