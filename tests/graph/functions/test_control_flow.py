"""tf.cond, tf.case, tf.switch_case and tf.while_loop: eager, interpreted and compiled agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runnel as tf

pytestmark = pytest.mark.smoke


def thrice(fn: Callable[..., Any], *args: Any) -> list[Any]:
    """The results of interpreted and compiled runs, which must agree."""
    traced = tf.function(fn, autograph=False)
    results = [traced(*args) for _ in range(4)]
    flat = [[t.numpy() for t in tf.nest.flatten(r)] for r in results]
    for other in flat[1:]:
        for a, b in zip(flat[0], other, strict=True):
            np.testing.assert_array_equal(a, b)
    return flat[0]


@pytest.mark.parametrize("pick", [True, False])
def test_cond_runs_one_branch(pick: bool) -> None:
    def fn(p: tf.Tensor, x: tf.Tensor) -> Any:
        return tf.cond(p, lambda: x * 2.0, lambda: x - 1.0)

    assert thrice(fn, tf.constant(pick), tf.constant(5.0))[0] == (10.0 if pick else 4.0)


def test_cond_returns_structures() -> None:
    def fn(p: tf.Tensor) -> Any:
        return tf.cond(
            p,
            lambda: {"a": tf.constant(1), "b": [tf.constant(2.0)]},
            lambda: {"a": tf.constant(3), "b": [tf.constant(4.0)]},
        )

    result = tf.function(fn)(tf.constant(False))
    assert result["a"].numpy() == 3
    assert result["b"][0].numpy() == 4.0


def test_branches_of_another_dtype_are_refused() -> None:
    fn = tf.function(lambda p: tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(1.0)))
    with pytest.raises(TypeError, match="same dtypes"):
        fn(tf.constant(True))


def test_branches_of_another_structure_are_refused() -> None:
    fn = tf.function(lambda p: tf.cond(p, lambda: [tf.constant(1)], lambda: tf.constant(1)))
    with pytest.raises((TypeError, ValueError), match="same structure"):
        fn(tf.constant(True))


def test_branches_of_other_shapes_still_run() -> None:
    def fn(p: tf.Tensor) -> Any:
        return tf.cond(p, lambda: tf.constant([1.0, 2.0]), lambda: tf.constant([3.0])) * 2.0

    assert thrice(fn, tf.constant(True))[0].tolist() == [2.0, 4.0]
    assert thrice(fn, tf.constant(False))[0].tolist() == [6.0]


def test_cond_assigns_variables_in_the_branch_taken() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def fn(p: tf.Tensor) -> None:
        tf.cond(p, lambda: [v.assign_add(10.0).value()], lambda: [v.assign_sub(1.0).value()])

    for _ in range(4):
        fn(tf.constant(True))
        fn(tf.constant(False))
    assert v.numpy() == 1.0 + 4 * 9.0


@pytest.mark.parametrize("pick", [True, False])
def test_gradient_of_cond(pick: bool) -> None:
    v = tf.Variable(3.0)
    x = tf.constant(2.0)
    fn = tf.function(lambda p, x: tf.cond(p, lambda: x * x * v, lambda: tf.sin(x)))
    for _ in range(4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(tf.constant(pick), x)
        dx, dv = tape.gradient(y, [x, v])
        assert dx.numpy() == pytest.approx(12.0 if pick else np.cos(2.0), rel=1e-5)
        assert dv.numpy() == (4.0 if pick else 0.0)


def test_second_gradient_of_cond() -> None:
    x = tf.constant(2.0)
    fn = tf.function(lambda x: tf.cond(x > 0, lambda: x**3, lambda: x))
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = fn(x)
        dx = inner.gradient(y, x)
    assert dx.numpy() == pytest.approx(12.0)
    assert outer.gradient(dx, x).numpy() == pytest.approx(12.0)


@pytest.mark.parametrize(("index", "want"), [(0, 10), (1, 20), (2, 30), (7, 30), (-1, 30)])
def test_switch_case(index: int, want: int) -> None:
    fns = [lambda: tf.constant(10), lambda: tf.constant(20), lambda: tf.constant(30)]
    assert tf.switch_case(tf.constant(index), fns).numpy() == want
    assert thrice(lambda i: tf.switch_case(i, fns), tf.constant(index))[0] == want


def test_case_takes_the_first_that_holds() -> None:
    def fn(x: tf.Tensor) -> Any:
        pairs = [(x < 0, lambda: tf.constant(-1)), (x < 10, lambda: tf.constant(0))]
        return tf.case(pairs, default=lambda: tf.constant(1))

    for value, want in ((-5, -1), (5, 0), (50, 1)):
        assert fn(tf.constant(value)).numpy() == want
        assert thrice(fn, tf.constant(value))[0] == want


def test_while_loop_counts() -> None:
    def fn(n: tf.Tensor) -> Any:
        return tf.while_loop(
            lambda i, s: i < n, lambda i, s: (i + 1, s + i), [tf.constant(0), tf.constant(0)]
        )

    assert [int(v) for v in fn(tf.constant(5))] == [5, 10]
    assert [int(v) for v in thrice(fn, tf.constant(5))] == [5, 10]
    assert [int(v) for v in thrice(fn, tf.constant(0))] == [0, 0]


def test_maximum_iterations_end_a_loop() -> None:
    def fn() -> Any:
        return tf.while_loop(
            lambda i: True, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=3
        )

    assert fn()[0].numpy() == 3
    assert thrice(fn)[0] == 3


def test_a_loop_variable_may_not_change_its_dtype() -> None:
    fn = tf.function(
        lambda: tf.while_loop(lambda i: i < 3, lambda i: [tf.cast(i, tf.float32)], [tf.constant(0)])
    )
    with pytest.raises(TypeError, match="has become float32"):
        fn()


def test_a_growing_loop_variable_needs_a_shape_invariant() -> None:
    def fn(**options: Any) -> Any:
        return tf.while_loop(
            lambda i, x: i < 3,
            lambda i, x: (i + 1, tf.concat([x, [1.0]], 0)),
            [tf.constant(0), tf.constant([0.0])],
            **options,
        )

    with pytest.raises(ValueError, match="shape_invariants"):
        tf.function(fn)()
    invariants = [tf.TensorShape([]), tf.TensorShape([None])]
    assert thrice(lambda: fn(shape_invariants=invariants))[1].tolist() == [0.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("limit", [None, 5, 9])
def test_gradient_of_a_loop(limit: int | None) -> None:
    v = tf.Variable(2.0)
    x = tf.constant(3.0)

    @tf.function
    def power(x: tf.Tensor) -> Any:
        result = tf.while_loop(
            lambda i, a: i < 5,
            lambda i, a: (i + 1, a * x * v),
            [tf.constant(0), tf.constant(1.0)],
            maximum_iterations=limit,
        )
        return result[1]

    for _ in range(4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = power(x)
        dx, dv = tape.gradient(y, [x, v])
        assert y.numpy() == 6.0**5
        assert dx.numpy() == pytest.approx(5 * 6.0**4 * 2)
        assert dv.numpy() == pytest.approx(5 * 6.0**4 * 3)


def test_second_gradient_of_a_loop() -> None:
    x = tf.constant(1.5)

    @tf.function
    def power(x: tf.Tensor) -> Any:
        loop = tf.while_loop(
            lambda i, a: i < 4,
            lambda i, a: (i + 1, a * x),
            [0, tf.constant(1.0)],
            maximum_iterations=4,
        )
        return loop[1]

    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = power(x)
        dx = inner.gradient(y, x)
    assert dx.numpy() == pytest.approx(4 * 1.5**3)
    assert outer.gradient(dx, x).numpy() == pytest.approx(12 * 1.5**2)


def test_a_loop_assigns_variables_in_order() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def fn() -> Any:
        def body(i: Any) -> Any:
            v.assign(v * 2.0 + tf.cast(i, tf.float32))
            return [i + 1]

        return tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])

    want = 1.0
    for _ in range(4):
        fn()
        for i in range(4):
            want = want * 2.0 + i
        assert v.numpy() == want


def test_a_loop_with_strings_runs() -> None:
    def fn() -> Any:
        return tf.while_loop(
            lambda i, s: i < 3, lambda i, s: (i + 1, s + "x"), [tf.constant(0), tf.constant("a")]
        )[1]

    assert thrice(fn)[0] == b"axxx"


def test_a_case_in_a_graph_checks_its_predicates() -> None:
    @tf.function
    def fn(x: Any, exclusive: bool) -> Any:
        pairs = [(x > 0, lambda: x), (x > 5, lambda: x * 2)]
        return tf.case(pairs, default=(lambda: -x) if exclusive else None, exclusive=exclusive)

    assert int(fn(tf.constant(-3), True)) == 3
    assert int(fn(tf.constant(3), True)) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than one predicate"):
        fn(tf.constant(6), True)
    assert int(fn(tf.constant(6), False)) == 6
    with pytest.raises(tf.errors.InvalidArgumentError, match="none of the predicates"):
        fn(tf.constant(-1), False)


def test_names_inside_a_branch_or_a_loop_begin_with_the_operations_name() -> None:
    names: list[str] = []

    @tf.function
    def fn(x: Any) -> Any:
        with tf.name_scope("a"):
            y = tf.cond(x > 0, lambda: noted(x + 1), lambda: noted(x - 1))
            return tf.while_loop(lambda v: v < 9, lambda v: [noted(v * 2)], [y])

    def noted(x: Any) -> Any:
        names.append(x.name)
        return x

    fn(tf.constant(1))
    assert names == ["a/cond/add:0", "a/cond/sub:0", "a/while/mul:0"]
