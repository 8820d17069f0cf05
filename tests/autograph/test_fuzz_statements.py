"""Random programs of the statements that other random tests leave out: one answer everywhere.

These jump out of `try`, `with`, `match` and the `else` of loops, run over datasets, ragged rows and
generators, and change attributes and elements; the numbers are integers, so that answers are equal.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import runnel as tf
from tests.autograph.test_fuzz import _indented, _loaded

_NAMES = ("a", "b", "c")
_ATOMS = (*_NAMES, "x", "n", "m", "box.v", "d['k']", "l[0]", "pair[1]['q']", "7")
_EXPRESSIONS = (
    "{0}",
    "({0} * {1} - 5) % 97",
    "max({0}, {1})",
    "({0} if {0} > {1} else {1})",
    "(lambda z, w=2: z + w if z > w else w)({0}, {1})",
    "sum([z * {0} for z in (1, {1}, 2)]) % 97",
)
_TESTS = ("{0} < {1}", "{0} != {1}", "not {0} > {1}", "{0} > 9 and n > 1", "5 < {0} <= 60", "m > 1")
_LOOPS = (
    "for i in tf.range(n):",
    "for i in range(m):",
    "for i in [x, n]:",
    "for i in numbers(n):",
    "for i in tf.data.Dataset.from_tensor_slices(vec):",
    "for _, i in enumerate(vec):",
    "for i in tf.reduce_sum(tf.RaggedTensor.from_row_lengths(vec, [1, 2]), 1):",
)
_SIMPLE = (
    "{0} = {1}",
    "{0} += {1}",
    "box.v = {1}",
    "box.v += {1}",
    "d['k'] = {1}",
    "d['k'] -= {1}",
    "l[0] = {1}",
    "pair = ({1}, {{'q': pair[0]}})",
    "{0}, *_ = [{1}, 1, 2]",
    "a, b = b, a",
    "{0} = t(w := {1}) + w",
    "_q = {1}; {0} = _q; del _q",
)


class _Program:
    """Writes one program."""

    def __init__(self, random: Random) -> None:
        self._pick = random.choice
        self._random = random
        self._count = 0

    def text(self) -> str:
        start = [
            "a, b, c, box = t(x), t(n + 5), t(11), Box(t(4))",
            "d, l, pair = {'k': t(5)}, [t(6), t(8)], (t(9), {'q': t(10)})",
            "vec = tf.stack([x, n, t(3)])",
        ]
        total = "(a + 2 * b + 3 * c + 5 * box.v + 7 * d['k'] + 11 * l[0] + 13 * pair[0]) % 997"
        body = self._block(2, looping=False)
        return "\n".join(["def program(x, n, m):", *_indented([*start, *body, f"return {total}"])])

    def _value(self) -> str:
        atoms = self._pick(_ATOMS), self._pick(_ATOMS)
        return f"t({self._pick(_EXPRESSIONS).format(*atoms)})"

    def _test(self) -> str:
        return self._pick(_TESTS).format(self._value(), self._value())

    def _block(self, depth: int, *, looping: bool) -> list[str]:
        statements = range(self._random.randint(1, 3))
        return [line for _ in statements for line in self._statement(depth, looping)]

    def _statement(self, depth: int, looping: bool) -> list[str]:
        name, value = self._pick(_NAMES), self._value()
        jumps = ["break", "continue"] if looping else []
        inside = [
            self._if,
            self._loop,
            self._while,
            self._try,
            self._caught,
            self._with,
            self._match,
        ]
        make = self._pick([None, None, "jump", *inside] if depth else [None])
        if make is None:
            return [self._pick(_SIMPLE).format(name, value), f"{name} = t({name}) % 97"]
        if make == "jump":
            return [f"if {self._test()}:", f"    {self._pick([*jumps, f'return {value}'])}"]
        return make(lambda inner=looping: _indented(self._block(depth - 1, looping=inner)))

    def _if(self, block: Any) -> list[str]:
        other = ["else:", *block()] if self._pick([True, False]) else []
        return [f"if {self._test()}:", *block(), *other]

    def _loop(self, block: Any) -> list[str]:
        other = ["else:", *block()] if self._pick([True, False]) else []
        return [self._pick(_LOOPS), "    a = t(a + i) % 97", *block(True), *other]

    def _while(self, block: Any) -> list[str]:
        self._count += 1
        k, limit = f"k{self._count}", self._pick(["n", "m", "n + 1"])
        return [f"{k} = 0", f"while {k} < {limit}:", f"    {k} += 1", *block(True)]

    def _try(self, block: Any) -> list[str]:
        return ["try:", *block(), "finally:", "    c = t(c + 2) % 97"]

    def _caught(self, block: Any) -> list[str]:
        raised = self._pick(["fail()", "return fail()", "b = fail()"])
        caught = ["except KeyError as e:", "    b = t(b + len(e.args)) % 97", *block()]
        return ["try:", "    if m > 0:", f"        {raised}", *block(), *caught]

    def _with(self, block: Any) -> list[str]:
        return [f"with given({self._value()}) as z:", "    b = t(b + z) % 97", *block()]

    def _match(self, block: Any) -> list[str]:
        cases = ["    case 0:", *_indented(block()), "    case 1 | 2 as z:", *_indented(block())]
        return ["match m:", *cases]


class _Box:
    def __init__(self, v: Any) -> None:
        self.v = v


def _fail() -> None:
    raise KeyError("none")


def _numbers(start: Any) -> Iterator[Any]:
    step = 0
    while True:
        step += 1
        if step == 2:
            continue
        if step > 3:
            break
        yield start * step


@settings(
    max_examples=int(os.environ.get("RUNNEL_FUZZ", "12")),
    deadline=None,
    derandomize="RUNNEL_FUZZ" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
@given(st.randoms(use_true_random=False), st.sampled_from([1, 5, 40]), st.integers(0, 3))
def test_random_programs_of_all_statements_agree(random: Random, x: int, n: int) -> None:
    source = _Program(random).text()
    program = _loaded(source)
    program.__globals__.update(
        t=lambda v: tf.cast(v, tf.int32),
        Box=_Box,
        fail=_fail,
        numbers=_numbers,
        given=contextlib.nullcontext,
    )
    traced = tf.function(program)
    for m in range(3):
        arguments = tf.constant(x), tf.constant(n), m
        assert traced(*arguments).numpy() == program(*arguments).numpy(), source
