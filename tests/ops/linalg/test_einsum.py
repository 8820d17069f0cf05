"""`tf.einsum`: what the tables of samples cannot say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf
from tests.ops.slopes import assert_slopes, random

SIZES = {"a": 2, "b": 3, "c": 1, "d": 2}
labels = st.text(alphabet="abcd", max_size=4)


@st.composite
def equations(draw: st.DrawFn) -> str:
    left, right = draw(labels), draw(labels)
    present = sorted(set(left + right))
    output = draw(st.permutations(present))
    return f"{left},{right}->{''.join(output[: draw(st.integers(0, len(present)))])}"


@settings(max_examples=80, deadline=None)
@given(equations())
def test_any_equation_of_two_tensors_gives_what_numpy_gives(equation: str) -> None:
    names = equation.split("->")[0].split(",")
    operands = [random(*(SIZES[label] for label in n), seed=len(n), dtype="float64") for n in names]
    found = tf.einsum(equation, *map(tf.constant, operands))
    np.testing.assert_allclose(found.numpy(), np.einsum(equation, *operands), atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(equations())
def test_any_equation_of_two_tensors_has_its_gradient(equation: str) -> None:
    names = equation.split("->")[0].split(",")
    operands = [random(*(SIZES[label] for label in n), seed=len(n)) for n in names]
    assert_slopes(lambda x, y: tf.einsum(equation, x, y), *operands)


@pytest.mark.parametrize("optimize", ["greedy", "optimal", "auto", False])
def test_the_order_of_multiplication_does_not_matter(optimize: object) -> None:
    parts = [random(n, n + 1, seed=n, dtype="float64") for n in range(2, 6)]
    found = tf.einsum("ab,bc,cd,de->ae", *map(tf.constant, parts), optimize=optimize)
    np.testing.assert_allclose(found.numpy(), np.linalg.multi_dot(parts))


def test_an_ellipsis_may_stand_in_the_middle_and_broadcast() -> None:
    x, y = random(3, 1, 4, 2), random(2, 5, 4, 6)
    assert_slopes(lambda x, y: tf.einsum("i...k,k...j->i...j", x, y), x, y)
    found = tf.einsum("i...k,k...j->i...j", tf.constant(x), tf.constant(y)).numpy()
    np.testing.assert_allclose(found, np.einsum("iabk,kabj->iabj", np.repeat(x, 5, 1), y))


def test_a_wrong_size_is_named() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="size 3 along the axis 'j'"):
        tf.einsum("ij,jk->ik", tf.ones([2, 3]), tf.ones([4, 5]))
