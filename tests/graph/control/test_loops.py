"""Loops that the host drives, and that go on compiled when they take long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.tensor.tensor_list import Stacked, TensorList
from runnel.graph.control import loops


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """All loops go on in parts after their first iterations, which are compiled at once."""
    parts: list[Any] = []
    run_parts = loops._run_parts

    def run(cond: Any, body: Any, values: list[Any]) -> list[Any]:
        parts.append(body)
        loops._part_of(cond, body).at_once = True
        return run_parts(cond, body, values)

    monkeypatch.setattr(loops, "SLOW", 0.0)
    monkeypatch.setattr(loops, "_PER_NODE", 0.0)
    monkeypatch.setattr(loops, "_run_parts", run)
    monkeypatch.setattr(loops, "_run_with_room", lambda *loop: None)  # tests/graph/capacity
    yield parts


@pytest.mark.parametrize("count", [0, 1, 64, 65, 128, 129, 300])
def test_a_loop_that_takes_long_goes_on_compiled(impatient: list[Any], count: int) -> None:
    v = tf.Variable(0)

    @tf.function
    def fn(x: Any, n: Any) -> Any:
        for i in tf.range(n):
            x = tf.sin(x) + 0.1 * tf.cast(i % 3, tf.float32)
            v.assign_add(i)
        return x

    want = np.float32([0.1, 0.2])
    for i in range(count):
        want = np.sin(want) + np.float32(0.1) * np.float32(i % 3)
    np.testing.assert_allclose(fn(tf.constant([0.1, 0.2]), tf.constant(count)), want, rtol=1e-4)
    assert int(v) == sum(range(count)) and bool(impatient) == (count > 64)


def test_the_gradient_of_a_loop_goes_on_compiled(impatient: list[Any]) -> None:
    @tf.function
    def fn(x: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(n):
                y = tf.sin(y) * 1.01
        return tape.gradient(y, x)

    x = want = np.float32([0.1, 0.2])
    want = np.ones(2, np.float32)
    for _ in range(200):
        want, x = want * np.cos(x) * np.float32(1.01), np.sin(x) * np.float32(1.01)
    got = fn(tf.constant([0.1, 0.2]), tf.constant(200))
    np.testing.assert_allclose(got, want, rtol=1e-3)
    assert impatient


def test_lists_stay_what_they_are(impatient: list[Any]) -> None:
    @tf.function
    def fn(n: Any) -> Any:
        grown = tf.TensorArray(tf.int32, 0, dynamic_size=True)
        fixed = tf.TensorArray(tf.float32, n)
        for i in tf.range(n):
            grown = grown.write(i, i * i)
            if i % 2 == 0:
                fixed = fixed.write(i, tf.cast(i, tf.float32))
        return grown.stack(), fixed.stack()

    for _ in range(3):
        grown, fixed = fn(tf.constant(200))
        assert grown.numpy().tolist() == [i * i for i in range(200)]
        assert fixed.numpy().tolist() == [0.0 if i % 2 else i for i in range(200)]
    assert impatient


def test_a_loop_over_strings_stays_on_the_host(impatient: list[Any]) -> None:
    @tf.function
    def fn(n: Any) -> Any:
        text = tf.constant("")
        for i in tf.range(n):
            text += tf.strings.as_string(i)
        return text

    assert fn(tf.constant(200)).numpy().decode() == "".join(map(str, range(200)))
    assert not impatient


def test_random_numbers_in_a_long_loop_go_on_where_they_were(impatient: list[Any]) -> None:
    @tf.function
    def fn(n: Any) -> Any:
        total = tf.zeros([])
        for _ in tf.range(n):
            total += tf.random.uniform([], seed=3)
        return total

    tf.random.set_seed(1)
    once = fn(tf.constant(300))
    assert 120 < float(once) < 180
    assert not impatient


def test_a_long_list_enters_a_program_as_one_array() -> None:
    items = tuple(np.float32([i, i]) for i in range(20))
    whole = TensorList(items, tf.float32, (2,)).compact()
    assert isinstance(whole, Stacked) and whole.held.shape == (20, 2)
    holes = TensorList((*items[:10], *[None] * 10), tf.float32, (2,)).compact()
    assert isinstance(holes, Stacked) and not holes.held[10:].any()
    for other in [items[:3], (None,) * 20, (*items, np.float32([1]))]:
        kept = TensorList(other, tf.float32, None)
        assert kept.compact() is kept


@pytest.mark.parametrize("make", [tf.ones, lambda s: tf.random.stateless_uniform(s, [1, 2])])
def test_sizes_known_outside_are_known_in_a_loop_a_branch_and_a_call(make: Any) -> None:
    inside = []

    def one() -> Any:
        inside.append(make(vector).shape.as_list())
        return make(vector)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([5])])
    def fn(n: Any, rates: Any) -> Any:
        nonlocal vector
        vector = tf.concat([[n], [1], tf.shape(rates)], 0)
        go, product = tf.ones(vector, tf.bool), tf.ones(vector)
        _, product = tf.while_loop(
            lambda go, _: tf.reduce_any(go),
            lambda go, product: (go & (product * one() > 2.0), product * one()),
            (go, product),
        )
        return product + tf.cond(n > 1, one, lambda: tf.zeros(vector)) + tf.function(one)()

    vector: Any = None
    assert fn(2, tf.ones([5])).shape == [2, 1, 5]
    assert inside == [[None, 1, 5]] * len(inside) and len(inside) >= 4
