"""AutoGraph where it goes beyond TensorFlow's, and what it says when it cannot go on."""

from __future__ import annotations

import logging
import threading
import traceback
from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.autograph.test_autograph import assert_both

TOTAL = 0


def early(x: Any) -> Any:
    if x > 10:
        if x > 100:
            return x - 100
        x = x + 1
        if x % 2 == 0:
            return x
    elif x < 0:
        return -x
    x = x * 2
    return x


@pytest.mark.parametrize("value", [200, 11, 12, -4, 5])
def test_early_returns_in_nested_branches(value: int) -> None:
    assert_both(early, tf.constant(value))


def find(rows: Any, wanted: Any) -> Any:
    for i in tf.range(tf.shape(rows)[0]):
        for x in rows[i]:
            if x == wanted:
                return rows[i]
    return rows[0] * 0


@pytest.mark.parametrize("wanted", [1, 4, 9])
def test_return_from_nested_loops(wanted: int) -> None:
    assert_both(find, tf.constant([[1, 2], [3, 4]]), tf.constant(wanted))


def test_return_from_a_loop_with_unknown_shapes() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([])])
    def first_above(rows: Any, limit: Any) -> Any:
        for row in rows:
            if tf.reduce_sum(row) > limit:
                return row
        return rows[0]

    rows = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert first_above(rows, 4.0).numpy().tolist() == [3.0, 4.0]
    assert first_above(rows, 100.0).numpy().tolist() == [1.0, 2.0]


def search(n: Any, limit: Any) -> Any:
    i = 0
    while i < n:
        i += 1
        if i * i > limit:
            break
    else:
        i = -1
    for j in tf.range(n):
        if j == 100:
            break
    else:
        i = i * 10
    return i


@pytest.mark.parametrize("n", [2, 20])
def test_else_of_loops(n: int) -> None:
    assert_both(search, tf.constant(n), tf.constant(30))


def collected(n: Any) -> Any:
    found = []
    for i in tf.range(n):
        if i % 2 == 0:
            found.append(i * i)
    return tf.stack(found), len(found)


def test_append_in_a_loop_over_tensors() -> None:
    traced = tf.function(collected)
    for n in (5, 7, 5, 5, 5):
        squares, count = traced(tf.constant(n))
        assert squares.numpy().tolist() == [i * i for i in range(0, n, 2)]
        assert count.numpy() == len(range(0, n, 2))


def test_a_list_that_grew_is_used_as_a_list() -> None:
    @tf.function
    def fn(n: Any) -> Any:
        found = [tf.constant(10)]
        for i in tf.range(n):
            found.append(i)
        last = found.pop()
        total = 0
        for x in found:
            total += x
        return found, last, total, found[0], found[-1]

    for _ in range(3):
        found, last, total, first, end = fn(tf.constant(4))
        assert [int(x) for x in found] == [10, 0, 1, 2]
        assert len(found) == 4
        assert (int(last), int(total), int(first), int(end)) == (3, 13, 10, 2)


def test_gradient_through_a_list_that_grew() -> None:
    @tf.function
    def fn(x: Any, n: Any) -> Any:
        powers = []
        for _ in tf.range(n):
            powers.append(x)
            x = x * x
        return tf.reduce_sum(tf.stack(powers))

    x = tf.constant(2.0)
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x, tf.constant(3))
        assert (y.numpy(), tape.gradient(y, x).numpy()) == (22.0, 1 + 4 + 32)


def test_comprehensions_over_tensors() -> None:
    @tf.function
    def fn(n: Any, pairs: Any) -> Any:
        squares = [i * i for i in tf.range(n)]
        odd = [i for i in tf.range(n) if i % 2 == 1]
        sums = [a + b for a, b in pairs]
        return tf.stack(squares), tf.stack(odd), sums, sum(x for x in pairs[0])

    for n in (5, 3, 5, 5):
        squares, odd, sums, total = fn(tf.constant(n), tf.constant([[1, 2], [3, 4]]))
        assert squares.numpy().tolist() == [i * i for i in range(n)]
        assert odd.numpy().tolist() == [i for i in range(n) if i % 2]
        assert [int(s) for s in sums] == [3, 7]
        assert int(total) == 3


def _next(x: Any) -> Any:
    return x + 1


def iterators(x: Any, y: Any) -> Any:
    total = 0
    for i, v in enumerate(x):
        total += i * v
    for a, b in zip(x, y):
        total = total * 2 + a - b
    for v in reversed(x):
        total = total * 3 + v
    for v in map(_next, x):
        total = total + v
    for i, (a, b) in enumerate(zip(x, reversed(y)), 1):
        total += i * a * b
    return total, max(x), min(x), sum(x), max(x[0], x[1]), any(x > 2), all(x > 2)


def test_python_iterators_over_tensors() -> None:
    want = iterators(tf.constant([3, 1, 2]), tf.constant([4, 5, 6]))
    spec = tf.TensorSpec([None], tf.int32)
    for options in ({}, {"input_signature": [spec, spec]}):
        traced = tf.function(iterators, **options)
        got = traced(tf.constant([3, 1, 2]), tf.constant([4, 5, 6]))
        assert [int(g) for g in got] == [int(w) for w in want]


def test_elements_are_assigned_in_loops() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        for i in tf.range(tf.shape(x)[0]):
            if i > 0:
                x[i] = x[i] + x[i - 1]
                x[i] *= 2
        x[0:1] = [100]
        return x

    assert fn(tf.constant([1, 2, 3])).numpy().tolist() == [100, 6, 18]


def test_operands_of_a_chain_are_evaluated_once() -> None:
    seen = []

    def operand(name: str, value: Any) -> Any:
        seen.append(name)
        return value

    @tf.function
    def fn(x: Any) -> Any:
        return operand("a", x) < operand("b", x + 1) < operand("c", x + 2)

    assert bool(fn(tf.constant(1)))
    assert seen == ["a", "b", "c"]


def test_nonlocal_and_global_in_branches() -> None:
    def fn(n: Any) -> Any:
        global TOTAL
        count = n

        def step() -> None:
            nonlocal count
            if n > 0:
                count = count + 1
            else:
                count = count - 1

        step()
        if n > 0:
            TOTAL = n
        else:
            TOTAL = -n
        return count, TOTAL

    for value, want in ((3, [4, 3]), (-3, [-4, 3])):
        assert [int(t) for t in tf.function(fn)(tf.constant(value))] == want


def test_match_and_annotations() -> None:
    def fn(x: Any, mode: str) -> Any:
        y: Any = x
        for _ in tf.range(3):
            match mode:
                case "add":
                    y = y + 1
                case "stop":
                    break
                case other:
                    y = y * len(other)
        return y

    assert [int(tf.function(fn)(tf.constant(2), m)) for m in ("add", "stop", "xyz")] == [5, 2, 54]


def test_private_names_and_names_of_builtins() -> None:
    class Secret:
        def __init__(self) -> None:
            self.__hidden = 5

        def sum(self, *args: Any) -> Any:
            if args[0] > 0:
                return sum(args) + self.__hidden
            return self.__hidden

    secret = Secret()
    assert int(tf.function(secret.sum)(tf.constant(1), tf.constant(2))) == 8


def test_generators_are_left_alone() -> None:
    def numbers(n: int) -> Any:
        yield from range(n)

    @tf.function
    def fn(x: Any) -> Any:
        for i in numbers(3):
            x = x + i
        return x

    assert int(fn(tf.constant(1))) == 4


def test_loops_without_end_in_definitions_that_are_left_alone() -> None:
    def fn(x: Any) -> Any:
        def numbers() -> Any:
            i = 0
            while True:
                i += 1
                if i > 4:
                    break
                yield i

        class Last:
            def __init__(self, start: Any) -> None:
                while True:
                    start = start + 1
                    break
                self.value = start

        for i in numbers():
            x += i
        return Last(x).value

    assert tf.function(fn)(tf.constant(1)).numpy() == 12


def test_lambdas_on_one_line() -> None:
    fns = [lambda x: x + 1 if x > 0 else x, lambda x: x - 1 if x > 0 else x]
    assert [int(tf.function(f)(tf.constant(2))) for f in fns] == [3, 1]


def test_each_branch_and_body_is_traced_once() -> None:
    traced: list[str] = []

    @tf.function
    def fn(x: Any) -> Any:
        if x > 0:
            x = x + 0
            if x > 1:
                x = x + 0
                if x > 2:
                    traced.append("deep")
                    x = x + 1
        while x > 3:
            while x > 2:
                traced.append("loop")
                x = x - 1
        return x

    fn(tf.constant(5))
    assert traced == ["deep", "loop"]


def _fails(fn: Any, *args: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as caught:
        tf.function(fn)(*args)
    return str(caught.value)


def test_errors_name_the_variable_and_the_line() -> None:
    def one_branch(x: Any) -> Any:
        if x > 0:
            partial = x
        return partial

    def changing(n: Any) -> Any:
        grown = tf.ones([1])
        for _ in tf.range(n):
            grown = tf.concat([grown, grown], 0)
        return grown

    first = _fails(one_branch, tf.constant(1.0))
    assert "'partial' must also be initialized in the else branch" in first
    second = _fails(changing, tf.constant(1))
    assert "'grown' has shape (1,) before the loop, but shape (2,)" in second
    assert all("test_beyond.py:" in text for text in (first, second))


def test_a_dropped_write_is_an_error() -> None:
    @tf.function
    def fn(n: Any) -> Any:
        array = tf.TensorArray(tf.int32, 3)
        for i in tf.range(n):
            array.write(i, i)
        return array.stack()

    with pytest.raises(ValueError, match="dropped"):
        fn(tf.constant(3))


def test_code_without_source_runs_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    space: dict[str, Any] = {}
    exec("def fn(x):\n    return x + 1", space)
    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert int(tf.function(space["fn"])(tf.constant(1))) == 2
    assert "could not transform" in caplog.text


def test_verbosity(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRAPH_VERBOSITY", "3")
    monkeypatch.setattr("runnel.autograph.verbosity._level", None)

    def fn(x: Any) -> Any:
        return x if x > 0 else -x

    with caplog.at_level(logging.WARNING, "tensorflow"):
        tf.function(fn)(tf.constant(1))
    assert "Converting" in caplog.text
    assert "ag__.if_exp" in caplog.text


def test_to_code_shows_what_runs() -> None:
    assert "ag__.if_stmt" in tf.autograph.to_code(early)
    with pytest.raises(Exception, match="python_function"):
        tf.autograph.to_code(tf.function(early))


def test_tracebacks_of_helpers_show_the_users_lines() -> None:
    def helper(x: Any) -> Any:
        while x > 0:
            raise RuntimeError("deep inside")
        return x

    with pytest.raises(RuntimeError) as caught:
        tf.function(lambda x: helper(x))(tf.constant(1))
    lines = [f.line for f in traceback.extract_tb(caught.value.__traceback__)]
    assert 'raise RuntimeError("deep inside")' in lines


def test_two_threads_convert_the_same_function() -> None:
    results: list[int] = []

    def fn(x: Any) -> Any:
        if x > 0:
            return x
        return -x

    def work() -> None:
        results.append(int(tf.function(fn)(tf.constant(-5))))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [5] * 8


def test_loop_options_bound_the_iterations() -> None:
    @tf.function
    def fn(n: Any) -> Any:
        i = 0
        while i < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            i += 1
        return i

    assert int(fn(tf.constant(10))) == 3


def test_names_assigned_in_conditions() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        while (y := x * 2) < 100:
            x = y + 1
        return x, y

    assert [int(t) for t in fn(tf.constant(3))] == [63, 126]


def test_the_message_of_an_assertion_may_have_several_parts() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        assert x > 0, ("too small:", x)
        return x

    assert int(fn(tf.constant(1))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[too small:\] \[-1\]"):
        fn(tf.constant(-1))


def test_what_is_called_can_be_left_alone() -> None:
    def inner(x: Any) -> Any:
        return x if x > 0 else -x

    def outer(x: Any) -> Any:
        for _ in range(3):
            if x < 0:
                x = inner(x)
        return x

    assert "plain_call(inner)" in tf.autograph.to_code(outer, recursive=False)
    whole = tf.function(tf.autograph.to_graph(outer), autograph=False)
    assert int(whole(tf.constant(-2))) == 2
    alone = tf.function(tf.autograph.to_graph(outer, recursive=False), autograph=False)
    with pytest.raises(TypeError, match="bool"):
        alone(tf.constant(-2))


def test_a_list_that_grew_loses_an_element_anywhere() -> None:
    @tf.function
    def fn(n: Any) -> Any:
        squares = []
        for i in tf.range(n):
            squares.append(i * i)
        first = squares.pop(0)
        last = squares.pop(-1)
        second = squares.pop(1)
        return first, last, second, tf.stack(squares), len(squares)

    *found, left, count = fn(tf.constant(6))
    assert [int(t) for t in found] == [0, 25, 4]
    assert left.numpy().tolist() == [1, 9, 16] and int(count) == 3


def test_a_grown_list_is_popped_from_inside_an_expression() -> None:
    @tf.function
    def fn(n: Any) -> Any:
        kept = []
        for i in tf.range(n):
            kept.append(i)
        total = kept.pop() + 10 * kept.pop()
        while len(kept) > 0:
            total = 10 * total + tf.square(kept.pop())
        return total

    assert fn(tf.constant(4)).numpy() == ((3 + 20) * 10 + 1) * 10


def test_a_grown_list_is_popped_from_in_the_test_of_an_if() -> None:
    @tf.function
    def fn(n: Any) -> Any:
        kept = []
        for i in tf.range(n):
            kept.append(i)
        large = 0
        for _ in tf.range(n):
            if kept.pop() > 1:
                large += 1
        return large

    assert fn(tf.constant(4)).numpy() == 2


def test_a_grown_list_cannot_be_popped_from_where_it_cannot_be_assigned() -> None:
    @tf.function
    def fn(n: Any) -> Any:
        kept = []
        for i in tf.range(n):
            kept.append(i)
        return [kept.pop() for _ in range(2)]

    with pytest.raises(TypeError, match="cannot be popped from inside"):
        fn(tf.constant(4))


def joined_lists(n: Any) -> Any:
    tables, lengths = [], []
    for i in tf.range(n):
        tables.append(tf.fill([2, 3], i))
        lengths.append(tf.fill([i], i))
    return [
        tf.concat(tables, axis=-1),
        tf.concat(tables, 0),
        tf.stack(tables, axis=1),
        tf.concat(lengths, 0),
    ]


def test_lists_that_grow_in_a_loop_are_joined_along_any_axis() -> None:
    tables = [np.full([2, 3], i) for i in range(4)]
    wide, long, beside, ragged = tf.function(joined_lists)(tf.constant(4))
    np.testing.assert_array_equal(wide, np.concatenate(tables, -1))
    np.testing.assert_array_equal(long, np.concatenate(tables, 0))
    np.testing.assert_array_equal(beside, np.stack(tables, 1))
    np.testing.assert_array_equal(ragged, [1, 2, 2, 3, 3, 3])


def extended(n: Any) -> Any:
    plus, more = [], []
    for i in tf.range(n):
        plus += [i]
        more.extend([i, i * 10])
    return tf.stack(plus), tf.stack(more)


def test_lists_are_extended_in_a_loop() -> None:
    plus, more = tf.function(extended)(tf.constant(3))
    assert plus.numpy().tolist() == [0, 1, 2]
    assert more.numpy().tolist() == [0, 0, 1, 10, 2, 20]


def pairs(n: Any) -> Any:
    found = []
    for i in tf.range(n):
        if i > 0:
            found.append((i, i * 2))
    return tf.stack(found)


def test_tuples_of_one_dtype_are_appended_as_tensors() -> None:
    assert tf.function(pairs)(tf.constant(3)).numpy().tolist() == [[1, 2], [2, 4]]


def mixed_pairs(n: Any) -> Any:
    found = []
    for i in tf.range(n):
        found.append((i, tf.cast(i, tf.float32)))
    return found


def test_tuples_of_several_dtypes_cannot_be_appended() -> None:
    with pytest.raises(TypeError, match="Append its parts to lists of their own"):
        tf.function(mixed_pairs)(tf.constant(3))


def test_rows_have_no_largest() -> None:
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="bool"):
        tf.function(lambda x: max(x))(tf.constant([[1, 2], [3, 4]]))


class Counter:
    def __init__(self) -> None:
        self.__count = tf.constant(0)

    def up_to(self, n: Any) -> Any:
        for i in tf.range(n):
            self.__count = self.__count + i
            if i > 1:
                self.__count *= 2
        return self.__count


def test_private_attributes_change_in_a_loop() -> None:
    assert tf.function(Counter().up_to)(tf.constant(4)).numpy() == 18


def test_a_loop_that_did_not_run_is_named_with_the_variable_it_owes() -> None:
    @tf.function
    def fn(n: Any) -> Any:
        for _ in tf.range(n):
            last = n * 2
        return last

    assert int(fn(tf.constant(2))) == 4
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"to give 'last' a value .*beyond\.py"
    ):
        fn(tf.constant(0))


def test_a_class_reads_what_only_a_loop_defines() -> None:
    @tf.function
    def fn(n: Any) -> Any:
        for i in tf.range(n):
            last = i * 2

        class Reader:
            def rank(self) -> Any:
                return last.shape.rank

        return Reader().rank()

    assert int(fn(tf.constant(3))) == 0


def test_a_variable_is_defined_if_the_second_loop_runs() -> None:
    @tf.function
    def fn(n: Any, m: Any) -> Any:
        for x in tf.zeros([n]):
            y = x
        for x in tf.ones([m]):
            y = x
        return y

    found = [float(fn(tf.constant(a), tf.constant(b))) for a, b in ((0, 2), (2, 0), (2, 2))]
    assert found == [1.0, 0.0, 1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least once"):
        fn(tf.constant(0), tf.constant(0))


def test_a_variable_that_two_loops_define_with_different_types() -> None:
    @tf.function
    def fn(n: Any) -> Any:
        total = 0.0
        for x in tf.zeros([n]):
            total += x
        for x in tf.ones([n, 2]):
            total += tf.reduce_sum(x)
        return total

    assert [float(fn(tf.constant(n))) for n in (0, 3)] == [0.0, 6.0]
