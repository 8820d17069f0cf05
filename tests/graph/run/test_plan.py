"""How graphs are cut, compiled and forgotten."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.backend.patience import COMPILED, INTERPRETED, TRIES, Trial
from runnel.core.op.raw import raw_ops
from runnel.function.insight.explain import PlanReport
from runnel.graph.run import plan as planning
from runnel.graph.run.chains import links_to_store
from runnel.graph.run.plan import Plan, Segment


def plan_of(fn: Any, *specs: Any) -> Plan:
    return tf.function(fn, autograph=False).get_concrete_function(*specs).plan


def chain(x: Any, length: int) -> Any:
    for _ in range(length):
        x = tf.nn.relu(x * 0.99)
    return x


def test_a_long_graph_is_compiled_in_pieces() -> None:
    plan = plan_of(lambda x: chain(x, 1200), tf.TensorSpec([2]))
    stages = plan.stages()
    assert [len(s.nodes) for s in stages] == [500, 500, 500, 500, 400]
    (got,) = plan.run_compiled([np.ones(2, np.float32)])
    (want,) = plan.program.interpret([np.ones(2, np.float32)])
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-4)


def test_values_are_let_go_after_their_last_use() -> None:
    plan = plan_of(lambda x: chain(x, 1200), tf.TensorSpec([2]))
    stages = plan.stages()
    first, second, *_ = stages
    assert first.outputs == stages.dead[1] and second.outputs == stages.dead[2]


@pytest.mark.parametrize(("function", "least"), [(tf.nn.relu, 8), (tf.round, 8), (tf.sin, 18)])
def test_a_chain_of_outputs_is_anchored(function: Any, least: int) -> None:
    """XLA would repeat the whole chain for each of its outputs."""

    def fn(x: Any) -> Any:
        return [x := function(x * 0.99) for _ in range(40)]

    plan = plan_of(fn, tf.TensorSpec([2]))
    (segment,) = plan.stages()
    assert least <= len(links_to_store(segment.nodes, set(segment.outputs))) <= least + 2
    for got, want in zip(
        plan.run_compiled([np.ones(2, np.float32)]),
        plan.program.interpret([np.ones(2, np.float32)]),
        strict=True,
    ):
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5)


def test_a_deep_graph_needs_no_recursion() -> None:
    def fn(x: Any) -> Any:
        for _ in range(400):
            x = x + tf.cast(tf.shape(tf.where(x > 0.0))[0], tf.float32)
        return x

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        plan = plan_of(fn, tf.TensorSpec([4]))
    finally:
        sys.setrecursionlimit(limit)
    assert len(plan.stages()) == 2 * 400 + 1


def test_known_values_are_found_once() -> None:
    """Each is the sum of the one before with itself: walking every path would never end."""

    def fn(x: Any) -> Any:
        n = tf.constant([1, 2])
        for _ in range(80):
            n = (n + n) - n
        return tf.reshape(x, n)

    function = tf.function(fn, autograph=False).get_concrete_function(tf.TensorSpec([2]))
    assert function.outputs[0].shape == (1, 2)


def test_a_shape_that_becomes_known_later_is_used() -> None:
    def fn(x: Any, y: Any) -> Any:
        size = tf.shape(x) + 0
        before = tf.reshape(y, size).shape
        x.set_shape([2, 3])
        assert before.rank is None or before.as_list() == [None, None]
        return tf.reshape(y, size)

    specs = tf.TensorSpec([None, None]), tf.TensorSpec([None])
    function = tf.function(fn, autograph=False).get_concrete_function(*specs)
    assert function.outputs[0].shape == (2, 3)


def test_an_op_that_xla_cannot_compile_runs_on_the_host() -> None:
    declared = raw_ops.Sin
    kernel = declared.kernel

    def only_numpy(xp: Any, x: Any) -> Any:
        if xp is not np:
            raise NotImplementedError("no such thing in XLA")
        return kernel(xp, x)

    declared.kernel = only_numpy
    try:
        plan = plan_of(lambda x: tf.cos(tf.sin(x) * 2.0), tf.TensorSpec([2]))
        for _ in range(2):
            (got,) = plan.run_compiled([np.ones(2, np.float32)])
    finally:
        declared.kernel = kernel
    np.testing.assert_allclose(np.asarray(got), np.cos(np.sin(np.ones(2)) * 2), rtol=1e-6)
    (why,) = plan.cuts.values()
    assert "no such thing in XLA" in why
    assert [isinstance(s, Segment) for s in plan.stages()] == [False, True]


def test_large_rows_are_sorted_on_the_host() -> None:
    x = np.random.default_rng(1).standard_normal((8, 5000)).astype(np.float32)
    plan = plan_of(lambda x: tf.sort(x * 2.0) + 1.0, tf.TensorSpec([8, None]))
    for _ in range(3):
        (got,) = plan.run_compiled([x])
        np.testing.assert_array_equal(np.asarray(got), np.sort(x * 2) + 1)
    (why,) = plan.cuts.values()
    assert "NumPy is much faster" in why
    assert [isinstance(s, Segment) for s in plan.stages()] == [True, False, True]


def test_programs_for_many_shapes_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_MOST_SHAPES", 3)
    plan = plan_of(lambda x: chain(x, 6), tf.TensorSpec([None]))
    for size in range(1, 8):
        for _ in range(4):
            plan.run([np.ones(size, np.float32)])
    assert plan.patience.kept < 3
    assert len(plan.patience.shapes) <= 7


def test_shapes_that_are_ever_new_are_not_compiled() -> None:
    plan = plan_of(lambda x: chain(x, 8), tf.TensorSpec([None]))
    for _ in range(3):
        for size in range(1, 101):
            (got,) = plan.run([np.ones(size, np.float32)])
            assert got.shape == (size,)
    assert plan.patience.kept < 50  # a busy machine may make some seem worth it


def test_lists_that_grow_are_left_to_the_host() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        found = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tf.range(3):
            chosen = tf.boolean_mask(x, x > tf.cast(i, tf.float32))
            found = found.write(i, tf.reduce_sum(chosen))
        return found.stack()

    x = tf.constant([1.0, 2.0, 3.0])
    for _ in range(5):
        assert fn(x).numpy().tolist() == [6.0, 5.0, 3.0]


@pytest.mark.parametrize("pays", [True, False])
def test_a_plan_that_is_cut_runs_the_way_that_was_faster(
    pays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Trial, "pays", pays)
    monkeypatch.setattr(planning, "_QUICK", np.inf)
    plan = plan_of(lambda x: sum_of_distinct(chain(x, 5)), tf.TensorSpec([3]))
    x = np.array([1, 2, 2], np.float32)
    want = np.asarray(plan.program.interpret([x])[0])
    for _ in range(2 * TRIES + 4):
        np.testing.assert_allclose(np.asarray(plan.run([x])[0]), want, rtol=1e-6)
    assert plan.patience.shapes.get(((3,),)) is (COMPILED if pays else INTERPRETED)
    report = PlanReport.of("forward", plan)
    assert report.slower == ([] if pays else [((3,),)])
    assert any("which is faster" in line for line in report.lines()) is not pays
    np.testing.assert_allclose(np.asarray(plan.run([x])[0]), want, rtol=1e-6)


def sum_of_distinct(x: Any) -> Any:
    return tf.reduce_sum(tf.unique(x)[0] * 2.0)


def test_a_graph_that_was_interpreted_often_gives_the_same_and_names_what_fails():
    words = tf.constant(["a", "b", "c"])

    @tf.function
    def joined(i, times):
        text = tf.constant("")
        for _ in tf.range(times):
            text = tf.strings.join([text, tf.gather(words, i)])
        return text

    for i in range(40):
        assert joined(tf.constant(i % 3), tf.constant(2)) == b"abc"[i % 3 : i % 3 + 1] * 2
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"GatherV2|indices"):
        joined(tf.constant(7), tf.constant(2))
    assert joined(tf.constant(1), tf.constant(3)) == b"bbb"
