"""Values that an op cannot take are found in compiled programs as in eager mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runnel as tf

X = np.arange(4, dtype=np.float32)


def compiled(fn: Callable[..., Any]) -> Any:
    return tf.function(fn, jit_compile=True, autograph=False)


CASES: list[tuple[Callable[..., Any], Any, Any]] = [
    (lambda i: tf.gather(X, i), 3, 4),
    (lambda i: tf.gather_nd(X, [[i]]), 3, -1),
    (lambda i: tf.constant(7) // i, 2, 0),
    (lambda i: tf.constant(7) % i, 2, 0),
    (lambda i: tf.scatter_nd([[i]], [1.0], [4]), 3, 4),
    (lambda i: tf.tensor_scatter_nd_add(X, [[i]], [1.0]), 0, 9),
    (lambda i: tf.debugging.check_numerics(1.0 / tf.cast(i, tf.float32), "loss"), 1, 0),
    (lambda i: tf.TensorArray(tf.float32, 3).unstack(X[:3]).read(i), 2, 3),
]


@pytest.mark.parametrize(("fn", "good", "bad"), CASES)
def test_a_bad_value_is_named_with_its_op_and_line(fn: Any, good: int, bad: int) -> None:
    run = compiled(fn)
    run(tf.constant(good))
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run(tf.constant(bad))
    assert caught.value.op.type in str(caught.value)
    assert "test_guards.py" in str(caught.value)
    run(tf.constant(good))


def test_a_bad_value_in_a_loop_or_branch_counts_only_if_it_is_used() -> None:
    @tf.function(jit_compile=True)
    def fn(n: Any, go: Any) -> Any:
        total = 0.0
        for i in tf.range(n):
            if go:
                total += tf.gather(X, i)
        return total

    assert float(fn(tf.constant(4), tf.constant(True))) == 6.0
    assert float(fn(tf.constant(9), tf.constant(False))) == 0.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="GatherV2"):
        fn(tf.constant(5), tf.constant(True))


def test_rows_of_a_variable_are_guarded_when_they_are_read_and_written() -> None:
    v = tf.Variable(X)

    @tf.function(jit_compile=True)
    def fn(i: Any) -> Any:
        v.scatter_nd_update([[i]], [5.0])
        return tf.gather(v, i)

    assert float(fn(tf.constant(1))) == 5.0
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"out of range|in range"):
        fn(tf.constant(4))


def test_a_variable_keeps_its_shape() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function(input_signature=[tf.TensorSpec([None])], jit_compile=True)
    def fn(x: Any) -> None:
        v.assign(x)

    fn(tf.constant([3.0, 4.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        fn(tf.constant([3.0, 4.0, 5.0]))
    assert v.numpy().tolist() == [3.0, 4.0]


def test_inputs_that_do_not_fit_are_explained_by_the_op() -> None:
    spec = tf.TensorSpec([None, None])
    run = compiled(lambda a, b: tf.matmul(a, b)).get_concrete_function(spec, spec)
    with pytest.raises(tf.errors.InvalidArgumentError, match="MatMul: `b`") as caught:
        run(tf.ones([2, 3]), tf.ones([2, 3]))
    assert "test_guards.py" in str(caught.value)
    assert run(tf.ones([2, 3]), tf.ones([3, 2])).shape == (2, 2)


def test_a_divisor_that_is_a_constant_needs_no_guard() -> None:
    function = compiled(lambda i: i // 2).get_concrete_function(tf.TensorSpec([], tf.int32))
    (segment,) = function.plan.stages()
    assert not segment.guarded


def test_a_guarded_program_that_fails_leaves_its_variables_as_they_were() -> None:
    table, count = tf.Variable(tf.ones([10, 4])), tf.Variable(0)

    @tf.function(jit_compile=True)
    def step(ids: Any) -> Any:
        count.assign_add(1)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids) ** 2)
        table.assign_sub(0.1 * tf.convert_to_tensor(tape.gradient(loss, table)))
        return loss

    step(tf.constant([1, 2]))
    before = table.numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
        step(tf.constant([1, 99]))
    np.testing.assert_array_equal(table.numpy(), before)
    assert int(count) == 1
    step(tf.constant([1, 2]))
    assert int(count) == 2
    assert (table.numpy()[1] < before[1]).all()


FORESEEN: list[tuple[Callable[..., Any], Any, Any]] = [
    (lambda i, v: tf.gather(v, i), [0, 3], [0, 4]),
    (lambda i, v: tf.gather(v, i), [0, 3], [-1, 3]),
    (lambda i, v: tf.gather(v, tf.cast(i, tf.int64)), [0.5, 3.9], [0.0, 4.0]),
    (lambda i, v: tf.gather(v, tf.cast(i, tf.int64)), [-0.5, 3.0], [float("nan"), 0.0]),
    (lambda i, v: tf.gather_nd(v, tf.reshape(i, [-1, 1])), [1, 2], [1, 7]),
    (lambda i, v: v.scatter_update(tf.IndexedSlices(X[:2], i)), [1, 2], [1, 7]),
    (lambda i, v: tf.tensor_scatter_nd_add(v, i[::-1, None], X[:2]), [0, 3], [0, 4]),
    (lambda i, v: tf.gather(tf.reshape(v, [2, 2]), i, axis=1), [0, 1], [0, 2]),
]


@pytest.mark.parametrize(("fn", "good", "bad"), FORESEEN)
def test_indices_that_are_inputs_are_looked_at_before_the_run(fn: Any, good: Any, bad: Any) -> None:
    v = tf.Variable(X)
    run = compiled(lambda i: fn(i, v))
    good, bad = tf.constant(good), tf.constant(bad)
    (segment,) = run.get_concrete_function(good).plan.stages()
    assert {node for node in segment.nodes if node.op.guard} == segment.foreseen.nodes != set()
    np.testing.assert_array_equal(run(good), tf.convert_to_tensor(fn(good, tf.Variable(X))))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices|in range"):
        run(bad)
    run(good)


def test_indices_that_a_program_computes_are_not_foreseen() -> None:
    v = tf.Variable(tf.range(300.0))
    for change in (lambda i: i + 1, lambda i: tf.cast(tf.cast(i, tf.int16), tf.int32)):
        run = compiled(lambda i, change=change: tf.gather(v, change(i)))
        run = run.get_concrete_function(tf.TensorSpec([1], tf.int32))
        (segment,) = run.plan.stages()
        assert segment.guarded
        assert not segment.foreseen.nodes
