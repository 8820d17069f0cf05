"""Side effects and work for the host inside functions: in order, anywhere, and differentiable."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import runnel as tf

RUNS = 4  # interpreted at first, compiled from the third on


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def slope(fn: Any, *args: tf.Tensor) -> list[float]:
    with tf.GradientTape() as tape:
        tape.watch(args[0])
        y = fn(*args)
    found = tf.convert_to_tensor(tape.gradient(y, args[0]))
    return found.numpy().tolist()  # type: ignore[no-any-return]


def test_python_prints_while_tracing_and_tensors_at_every_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    @tf.function
    def fn(x: Any) -> Any:
        print("tracing with", x.dtype.name)
        tf.print("running with", x, output_stream=sys.stdout)
        return x

    for value in (1, 2, 2.5):
        fn(tf.constant(value))
    assert lines(capsys) == [
        "tracing with int32",
        "running with 1",
        "running with 2",
        "tracing with float32",
        "running with 2.5",
    ]


def test_a_python_list_is_appended_to_while_tracing_only() -> None:
    seen: list[Any] = []

    @tf.function
    def fn(x: Any) -> Any:
        seen.append(x)
        return x + 1

    for value in range(3):
        fn(tf.constant(value))
    assert len(seen) == 1 and "Tensor" in repr(seen[0])


def test_effects_of_a_loop_come_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    v = tf.Variable(0.0)
    log: list[float] = []

    @tf.function
    def fn(n: Any) -> Any:
        for i in tf.range(n):
            v.assign_add(1.0)
            tf.print("before", i, v, output_stream=sys.stdout)
            if i % 2 == 0:
                tf.py_function(lambda x: log.append(float(x)), [v], [])
            else:
                v.assign(v * 2.0)
            tf.print("after", v, output_stream=sys.stdout)
        return v.read_value()

    for _ in range(RUNS):
        v.assign(0.0)
        log.clear()
        assert float(fn(tf.constant(3))) == 5.0
        assert log == [1.0, 5.0]
        assert lines(capsys) == [
            "before 0 1",
            "after 1",
            "before 1 2",
            "after 4",
            "before 2 5",
            "after 5",
        ]


def test_a_print_in_a_long_loop_of_arithmetic(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def fn(x: Any) -> Any:
        for i in tf.range(60):
            x = x * 1.5
            if i % 30 == 0:
                tf.print("at", i, output_stream=sys.stdout)
            x = x / 1.5
        return x

    for _ in range(RUNS):
        assert float(fn(tf.constant(2.0))) == pytest.approx(2.0, rel=1e-4)
        assert lines(capsys) == ["at 0", "at 30"]


def test_prints_go_to_a_file_in_order(tmp_path: Any) -> None:
    path = tmp_path / "log"

    @tf.function
    def fn(x: Any) -> Any:
        for i in tf.range(2):
            tf.print(i, x, sep=":", end=";", output_stream=f"file://{path}")
        return x

    for _ in range(RUNS):
        fn(tf.range(10))
    assert path.read_text() == "0:[0 1 2 ... 7 8 9];1:[0 1 2 ... 7 8 9];" * RUNS


def test_an_assertion_in_a_branch_counts_if_the_branch_is_taken() -> None:
    @tf.function
    def fn(x: Any, strict: Any) -> Any:
        if strict:
            tf.debugging.Assert(tf.reduce_all(x > 0.0), ["not positive", x])
        return tf.reduce_sum(x)

    bad = tf.constant([1.0, -1.0])
    for _ in range(RUNS):
        assert float(fn(bad, tf.constant(False))) == 0.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="not positive"):
            fn(bad, tf.constant(True))


def masked(x: Any) -> Any:
    total = tf.constant(0.0)
    for i in tf.range(3):
        chosen = tf.boolean_mask(x, x > tf.cast(i, tf.float32))
        total += tf.reduce_sum(chosen * chosen)
    return total


def unique(x: Any) -> Any:
    total, n = tf.constant(0.0), tf.constant(0)
    while n < 3:
        values, places = tf.unique(tf.cast(x, tf.int32))
        counted = tf.math.unsorted_segment_sum(x, places, tf.size(values))
        total += tf.reduce_max(counted) * tf.cast(tf.size(tf.where(x > 1.0)), tf.float32)
        n += 1
    return total


def chosen(x: Any) -> Any:
    if tf.reduce_sum(x) > 0.0:
        y = tf.gather(x, tf.where(x > 1.0)[:, 0])
    else:
        y = tf.numpy_function(lambda v: v * 3, [x], tf.float32)
    return tf.reduce_sum(y * y)


def through_python(x: Any) -> Any:
    y = x
    for _ in tf.range(2):
        doubled = tf.py_function(lambda v: v * v, [y], tf.float32)
        doubled.set_shape([4])
        y = doubled + x
    return tf.reduce_sum(y)


def words(x: Any) -> Any:
    text = tf.constant("")
    total = tf.constant(0.0)
    for i in tf.range(3):
        text = tf.strings.join([text, tf.strings.as_string(i)])
        total += tf.reduce_sum(x) * tf.cast(tf.strings.length(text), tf.float32)
    return total


@pytest.mark.parametrize("fn", [masked, unique, chosen, through_python, words])
def test_host_work_in_loops_and_branches_and_its_gradient(fn: Any) -> None:
    x = tf.constant([1.0, 2.0, 3.0, 3.0])
    traced = tf.function(fn)
    want, gradient = float(fn(x)), slope(fn, x)
    for _ in range(RUNS):
        assert float(traced(x)) == pytest.approx(want)
        assert slope(traced, x) == pytest.approx(gradient)


def test_the_last_of_several_shapes_is_differentiated() -> None:
    """The loop variable has another shape after each iteration, and none before."""

    @tf.function
    def fn(x: Any) -> Any:
        part = x
        for i in tf.range(3):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(part, tf.TensorShape([None]))]
            )
            part = part[:-1] * tf.cast(i + 1, tf.float32)
        return tf.reduce_sum(part)

    x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
    for _ in range(RUNS):
        assert slope(fn, x) == [6.0, 6.0, 0.0, 0.0, 0.0]


def test_what_nobody_needs_does_not_run() -> None:
    ran: list[int] = []

    @tf.function
    def fn(x: Any) -> Any:
        tf.numpy_function(lambda v: ran.append(1) or v, [x], tf.int32, stateful=False)
        tf.gather(x, [9])  # which would fail
        return x + 1

    assert fn(tf.constant([1])).numpy().tolist() == [2]
    assert not ran


def test_a_generator_of_random_numbers_goes_on_in_a_function() -> None:
    def draw(generator: Any) -> Any:
        return generator.uniform([3])

    eager, traced = (tf.random.Generator.from_seed(3) for _ in range(2))
    fn = tf.function(lambda: draw(traced))
    for _ in range(RUNS):
        np.testing.assert_array_equal(fn().numpy(), draw(eager).numpy())


def test_a_python_function_changes_variables_in_its_turn() -> None:
    v = tf.Variable(0.0)
    seen: list[float] = []

    def note() -> None:
        seen.append(float(v))
        v.assign_add(100.0)

    @tf.function
    def fn(x: Any) -> Any:
        v.assign(x)
        before = v.read_value()
        tf.py_function(note, [], [])
        between = v.read_value()
        for _ in tf.range(2):
            tf.py_function(note, [], [])
        v.assign_add(1.0)
        return before, between, v.read_value()

    for _ in range(RUNS):
        assert [float(y) for y in fn(tf.constant(5.0))] == [5.0, 105.0, 306.0]
    assert seen == [5.0, 105.0, 205.0] * RUNS
