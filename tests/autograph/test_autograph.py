"""AutoGraph: Python's control flow on tensors, traced, gives what it gives eagerly."""

from __future__ import annotations

import traceback
from typing import Any

import pytest

import runnel as tf


def assert_both(fn: Any, *args: Any) -> Any:
    """The eager result, which traced runs (interpreted, then compiled) must give too."""
    eager = fn(*args)
    traced = tf.function(fn)
    for _ in range(4):
        result = traced(*args)
        for a, b in zip(tf.nest.flatten(result), tf.nest.flatten(eager), strict=True):
            assert (
                tf.convert_to_tensor(a).numpy().tolist() == tf.convert_to_tensor(b).numpy().tolist()
            )
    return eager


def sign(x: Any) -> Any:
    if x > 0:
        result = 1
    elif x < 0:
        result = -1
    else:
        result = 0
    return result


@pytest.mark.parametrize("value", [-3.0, 0.0, 2.0])
def test_if_elif_else(value: float) -> None:
    assert_both(sign, tf.constant(value))


def early(x: Any) -> Any:
    if x > 10:
        return x
    y = x * 2
    if y > 10:
        return y
    return y + 1


@pytest.mark.parametrize("value", [1, 6, 20])
def test_early_return(value: int) -> None:
    assert_both(early, tf.constant(value))


def collatz(n: Any) -> Any:
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def test_while_with_if() -> None:
    assert assert_both(collatz, tf.constant(27)) == 111


def jumps(n: Any) -> Any:
    total = 0
    for i in tf.range(n):
        if i % 2 == 0:
            continue
        if i > 7:
            break
        total += i
    return total


@pytest.mark.parametrize("n", [0, 5, 20])
def test_break_and_continue(n: int) -> None:
    assert_both(jumps, tf.constant(n))


def find(xs: Any, wanted: Any) -> Any:
    position = -1
    for i in tf.range(tf.shape(xs)[0]):
        if xs[i] == wanted:
            return i
    return position


@pytest.mark.parametrize("wanted", [7, 9, 1])
def test_return_inside_a_loop_over_tensors(wanted: int) -> None:
    assert_both(find, tf.constant([5, 7, 9]), tf.constant(wanted))


def logic(a: Any, b: Any) -> Any:
    return [a > 0 and b > 0, a > 0 or b > 0, not a > 0, 0 < a < b, 1 if a > b else 2]


@pytest.mark.parametrize(("a", "b"), [(1, 2), (-1, 2), (2, 1), (-1, -2)])
def test_logic_and_chained_comparisons(a: int, b: int) -> None:
    assert_both(logic, tf.constant(a), tf.constant(b))


def rows(matrix: Any) -> Any:
    total = tf.zeros([2])
    for row in matrix:
        total = total + row * row
    return total


def test_for_over_the_rows_of_a_tensor() -> None:
    assert_both(rows, tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


def squares(n: Any) -> Any:
    array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(n):
        array = array.write(i, i * i)
    return array.stack()


def test_tensor_array_in_a_loop() -> None:
    assert assert_both(squares, tf.constant(5)).numpy().tolist() == [0, 1, 4, 9, 16]


def nested(n: Any) -> Any:
    total = 0
    for i in tf.range(n):
        for j in tf.range(i):
            if j == 3:
                break
            total += i * j
    return total


def test_nested_loops() -> None:
    assert_both(nested, tf.constant(7))


def unrolled(x: Any) -> Any:
    for factor in [1.0, 2.0, 3.0]:
        x = x * factor
        if factor == 2.0:
            break
    return x


def test_python_loops_stay_python() -> None:
    graph = tf.function(unrolled).get_concrete_function(tf.constant(1.0)).graph
    assert not [op for op in graph.get_operations() if "While" in op.type]
    assert_both(unrolled, tf.constant(5.0))


def _helper(x: Any) -> Any:
    if x > 0:
        return x
    return -x


def calls_helper(x: Any) -> Any:
    return _helper(x) + _helper(-x)


def test_called_functions_are_converted_too() -> None:
    assert_both(calls_helper, tf.constant(-4))


def test_closures_and_lambdas() -> None:
    scale = 3
    choose = tf.function(lambda x: x * scale if x > 0 else x)
    assert [choose(tf.constant(v)).numpy() for v in (2, -2)] == [6, -2]


class Base:
    def step(self, x: Any) -> Any:
        return x + 1


class Derived(Base):
    @tf.function
    def step(self, x: Any) -> Any:
        if x > 0:
            x = super().step(x)
        return x


def test_super_inside_a_branch() -> None:
    assert [Derived().step(tf.constant(v)).numpy() for v in (1, -1)] == [2, -1]


def test_a_variable_defined_in_one_branch_only_is_named() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        if x > 0:
            only_here = x
        return only_here

    with pytest.raises(ValueError, match="only_here"):
        fn(tf.constant(1.0))


def test_a_loop_variable_that_changes_dtype_is_an_error() -> None:
    @tf.function
    def fn(n: Any) -> Any:
        x = 0
        while n > 0:
            x = 0.5 + tf.cast(n, tf.float32) * tf.cast(x, tf.float32)
            x = tf.cast(x, tf.int32) if False else x
            n -= 1
        return x

    assert fn(tf.constant(2)).dtype is tf.float32


def test_tracebacks_show_the_users_lines() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        if x > 0:
            raise RuntimeError("from the user")
        return x

    with pytest.raises(RuntimeError, match="from the user") as caught:
        fn(tf.constant(1.0))
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert any(f.line and "raise RuntimeError" in f.line for f in frames)


def test_assignment_to_an_element_of_a_tensor() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        x[1] = 10.0
        return x

    assert fn(tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 10.0]


def test_gradient_through_a_data_dependent_loop() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        while tf.reduce_sum(x) < 100.0:
            x = x * 2.0
        return tf.reduce_sum(x)

    x = tf.constant([3.0, 4.0])
    for _ in range(4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x)
        assert tape.gradient(y, x).numpy().tolist() == [16.0, 16.0]


def test_print_runs_while_tracing_only(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def fn(x: Any) -> Any:
        print("tracing")
        return x

    fn(tf.constant(1))
    fn(tf.constant(2))
    assert capsys.readouterr().out == "tracing\n"


def test_a_lambda_that_returns_a_lambda_is_told_from_it() -> None:
    fn = tf.function(lambda x: (lambda: x + 1)())
    assert fn(tf.constant(1)).numpy() == 2
    make = tf.autograph.to_graph(lambda: lambda: 7)
    assert callable(make())


def test_returns_inside_with_and_try() -> None:
    @tf.function
    def scoped(x: Any) -> Any:
        with tf.name_scope("a"):
            if x > 0:
                return x
            return -x

    @tf.function
    def tried(x: Any) -> Any:
        try:
            if x > 0:
                return x
            return -x
        except KeyError:
            return x * 7

    @tf.function
    def half(x: Any) -> Any:
        with tf.name_scope("a"):
            if x > 0:
                with tf.name_scope("b"):
                    if x > 10:
                        return x * 2
                    x += 1
                return x
        return -x

    assert [fn(tf.constant(-7)).numpy() for fn in (scoped, tried, half)] == [7, 7, 7]
    assert [fn(tf.constant(3)).numpy() for fn in (scoped, tried, half)] == [3, 3, 4]
    assert half(tf.constant(11)).numpy() == 22
