"""Counters of loops, and the checks that they make superfluous."""

import numpy as np
import pytest

import runnel as tf

X = np.arange(10.0, dtype=np.float32)


def total(x, first, last, step=1, index=lambda t: t):
    """The sum of `x[index(t)]` for `t` from `first` to `last`."""

    def body(t, n, found):
        return t + step, n + 1, found + tf.gather(x, index(t))

    limit = abs(last - first) // abs(step) + 1
    start = (tf.constant(first), 0, tf.constant(0.0))
    return tf.while_loop(lambda t, n, _: n < limit, body, start, maximum_iterations=limit)


def compiled(*args, **kwargs):
    return tf.function(lambda: total(tf.constant(X), *args, **kwargs), jit_compile=True)


@pytest.mark.parametrize(("first", "last", "step"), [(0, 9, 1), (9, 0, -1), (1, 9, 4), (7, 1, -3)])
def test_a_counter_is_what_it_would_be_if_it_were_carried(first, last, step):
    after, count, found = compiled(first, last, step)()
    taken = np.arange(first, last + np.sign(step), step)
    assert (int(after), int(count)) == (taken[-1] + step, len(taken))
    assert float(found) == X[taken].sum()


@pytest.mark.parametrize(
    ("first", "last", "index"),
    [(0, 10, lambda t: t), (-1, 5, lambda t: t), (0, 9, lambda t: t + 1), (0, 9, lambda t: 2 * t)],
)
def test_an_index_out_of_range_is_still_found(first, last, index):
    with pytest.raises(tf.errors.InvalidArgumentError, match="`indices` must be in"):
        compiled(first, last, index=index)()


def test_a_range_with_zero_inside_is_no_divisor():
    def run():
        body = lambda t, found: (t + 1, found + 10 // t)  # noqa: E731
        return tf.while_loop(lambda t, _: t < 3, body, (-2, 0), maximum_iterations=5)

    with pytest.raises(tf.errors.InvalidArgumentError, match="zero"):
        tf.function(run, jit_compile=True)()


def test_a_float_that_grows_is_carried():
    def run():
        body = lambda n, x: (n + 1, x + np.float32(0.1))  # noqa: E731
        return tf.while_loop(lambda n, x: n < 100, body, (0, 0.0), maximum_iterations=100)[1]

    want = np.float32(0)
    for _ in range(100):
        want = np.float32(want + np.float32(0.1))
    assert float(tf.function(run, jit_compile=True)()) == want


def program(fn):
    return fn.experimental_get_compiler_ir()("hlo")


def test_indices_that_are_counters_are_not_checked():
    free = program(compiled(0, 9))
    checked = program(compiled(0, 9, index=lambda t: t * 1 + 0 * t * t))
    assert free.count(" and(") == 1  # two conditions of the loop
    assert checked.count(" and(") > 1
