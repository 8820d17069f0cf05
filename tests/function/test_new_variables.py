"""Variables that functions make on their first call."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import runnel as tf


class Lazy(tf.Module):
    """Makes its variable on the first call, of a value that `make` computes there."""

    def __init__(self, make: Any) -> None:
        self.v: Any = None
        self.make = make

    @tf.function
    def __call__(self, x: Any) -> Any:
        if self.v is None:
            self.v = tf.Variable(self.make(x))
        return self.v + x


@pytest.mark.parametrize(
    "make",
    [
        lambda x: 2.0,
        lambda x: lambda: tf.fill([], 2.0),
        lambda x: tf.fill([], 2.0),
        lambda x: tf.random.uniform([]) * 0.0 + 2.0,
        lambda x: x + 1.0,
        lambda x: tf.while_loop(lambda i: i < 2.0, lambda i: i + 1.0, [x])[0],
    ],
    ids=["number", "function", "constant", "random", "argument", "loop"],
)
def test_a_variable_made_in_a_function_has_the_value_computed_there(make: Any) -> None:
    lazy = Lazy(make)
    assert lazy(tf.constant(1.0)).numpy() == 3.0
    assert lazy(tf.constant([4.0])).numpy() == [6.0]
    outer = Lazy(make)
    assert tf.function(lambda x: outer(x * 0.5) * 2.0)(tf.constant(2.0)).numpy() == 6.0


def test_a_first_value_is_computed_without_the_side_effects_around_it() -> None:
    seen: list[float] = []

    class Noisy:
        v: Any = None

        @tf.function
        def __call__(self, x: Any) -> Any:
            tf.py_function(lambda a: seen.append(float(a)), [x], [])
            if self.v is None:
                self.v = tf.Variable(tf.ones([2]) * 3.0)
            return self.v * x

    assert Noisy()(tf.constant(2.0)).numpy().tolist() == [6.0, 6.0]
    assert seen == [2.0]


def test_the_first_call_that_makes_variables_counts_as_two_traces() -> None:
    lazy = Lazy(lambda x: 1.0)
    lazy(tf.constant(1.0))
    assert lazy.__call__.experimental_get_tracing_count() == 2


def test_a_concrete_function_cannot_wait_for_arguments() -> None:
    with pytest.raises(ValueError, match="depend on its arguments"):
        Lazy(lambda x: x).__call__.get_concrete_function(tf.constant(1.0))


def test_a_branch_of_the_graph_makes_no_variable() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.cond(x > 0.0, lambda: tf.Variable(1.0) + x, lambda: x)

    with pytest.raises(ValueError, match=r"made a tf\.Variable"):
        f(tf.constant(1.0))


def test_the_initialization_function_gives_the_variables_their_values() -> None:
    lazy = Lazy(lambda x: tf.fill([2], 5.0))
    initialize = lazy.__call__.get_initialization_function(tf.constant(1.0))
    with pytest.raises(tf.errors.FailedPreconditionError):
        lazy.v.numpy()
    assert initialize() is None
    assert lazy.v.numpy().tolist() == [5.0, 5.0]
    assert lazy(tf.constant(1.0)).numpy().tolist() == [6.0, 6.0]
    with pytest.raises(RuntimeError, match="before the first call"):
        lazy.__call__.get_initialization_function(tf.constant(1.0))


def test_a_function_without_variables_has_an_empty_initialization_function() -> None:
    v = tf.Variable(2.0)
    f = tf.function(lambda x: x * v)
    assert f.get_initialization_function(tf.constant(1.0))() is None
    assert f(tf.constant(2.0)).numpy() == 4.0


class Scaled:
    def __init__(self) -> None:
        self.k = 2
        self.f = tf.function(self.times)

    def times(self, x: Any) -> Any:
        return x * self.k

    @tf.function
    def method(self, x: Any) -> Any:
        return x * self.k


def test_functions_are_copied_with_the_object_that_has_them() -> None:
    one = Scaled()
    one.method(1), one.f(1)
    other = copy.deepcopy(one)
    other.k = 5
    x = tf.constant(1)
    assert [f(x).numpy() for f in (one.f, one.method, other.f, other.method)] == [2, 2, 5, 5]
    assert copy.copy(one.f)(x).numpy() == 2
    assert copy.deepcopy(one.method)(x).numpy() == 2


def test_a_function_returns_datasets() -> None:
    @tf.function
    def make(n: Any) -> Any:
        return tf.data.Dataset.range(n).map(lambda x: x * 2), n

    dataset, n = make(tf.constant(3, tf.int64))
    assert list(dataset.as_numpy_iterator()) == [0, 2, 4] and n.numpy() == 3
    same = tf.function(lambda d: d)
    assert list(same(tf.data.Dataset.range(2)).as_numpy_iterator()) == [0, 1]


def test_a_function_must_not_return_a_class() -> None:
    with pytest.raises(TypeError, match="must return tensors"):
        tf.function(lambda: tf.Variable)()


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        (lambda items: items.append(1), []),
        (lambda d: d.update(b=1), {"a": 2}),
        (lambda d: d["a"].pop(), {"a": [np.float32(1.0)]}),
    ],
    ids=["list", "dict", "nested"],
)
def test_a_function_must_not_change_its_arguments(change: Any, argument: Any) -> None:
    def f(x: Any) -> Any:
        change(x)
        return tf.constant(1)

    kept = copy.deepcopy(argument)
    with pytest.raises(ValueError, match="must not change its arguments"):
        tf.function(f)(argument)
    assert argument == kept


def test_an_input_signature_tells_lists_from_tuples() -> None:
    spec = (tf.TensorSpec([], tf.float32), [tf.TensorSpec([], tf.float32)])
    f = tf.function(lambda a: a[0] + a[1][0], input_signature=[spec])
    assert f((1.0, [2.0])).numpy() == 3.0
    with pytest.raises(TypeError, match="must be"):
        f([1.0, [2.0]])


def test_short_signatures_stand_one_below_the_other() -> None:
    f = tf.function(lambda x: x, reduce_retracing=True)
    f(1), f(2)
    assert len(f.pretty_printed_concrete_signatures(verbose=False).splitlines()) == 2


def test_a_whole_reduction_is_a_scalar_whatever_the_rank() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x: Any) -> Any:
        assert tf.reduce_sum(x).shape == [] and tf.reduce_any(x > 0.0).shape == []
        assert tf.reduce_max(x, keepdims=True).shape.rank is None
        return tf.reduce_mean(x)

    assert f(tf.ones([2, 3])).shape == []
