"""Variables that are None before a loop of the graph, answered as TensorFlow answers."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import pytest

import runnel as tf

Pair = collections.namedtuple("Pair", "a b")
X = [1.0, 2.0, 3.0]


def summed(x: Any) -> Any:
    s = None
    for e in x:
        if s is None:
            s = e
        else:
            s = s + e
    return s


def only_set(x: Any) -> Any:
    s = None
    for e in x:
        s = e
    return s


def begun_elsewhere(x: Any) -> Any:
    s = None
    for e in x:
        if s is None:
            s = tf.constant(10.0)
        s = s + e
    return s


def counted(x: Any) -> Any:
    s, i = None, tf.constant(0)
    while i < 3:
        s = 1.0 if s is None else s + 1.0
        i += 1
    return s, i


def read_later(x: Any) -> Any:
    s, t = None, 0.0
    for e in x:
        if s is not None:
            t = t + s
        s = e
    return t, s


def nested(x: Any) -> Any:
    s = None
    for _ in x:
        for e in x:
            s = e if s is None else s + e
    return s


def argument(x: Any, s: Any = None) -> Any:
    for e in x:
        s = e if s is None else s + e
    return s


def attribute(x: Any) -> Any:
    class Holder:
        s: Any = None

    held = Holder()
    for e in x:
        held.s = e if held.s is None else held.s + e
    return held.s


def entry(x: Any) -> Any:
    s: dict[str, Any] = {"a": None, "b": 0.0}
    for e in x:
        s["a"] = e if s["a"] is None else s["a"] * e
        s["b"] = s["b"] + e
    return s


def element(x: Any) -> Any:
    s: list[Any] = [None, None]
    for e in x:
        s[0] = e if s[0] is None else s[0] + e
    return s[0]


def structure(x: Any) -> Any:
    s: Any = None
    for e in x:
        s = (e, e) if s is None else (s[0] + e, s[1] * 2.0)
    return s


def growing(x: Any) -> Any:
    s = None
    for e in x:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(s, tf.TensorShape([None]))])
        s = e[None] if s is None else tf.concat([s, e[None]], 0)
    return s


def dataset(x: Any) -> Any:
    s = None
    for e in tf.data.Dataset.from_tensor_slices(x):
        s = e
    return s


def never_used(x: Any) -> Any:
    s = None
    for e in x:
        if e > 1.0:
            s = e
    s = x[0]
    return s


ANSWERS: dict[Callable[..., Any], Any] = {
    summed: 6.0,
    only_set: 3.0,
    begun_elsewhere: 6.0,
    counted: (3.0, 3),
    read_later: (3.0, 3.0),
    nested: 18.0,
    argument: 6.0,
    attribute: 6.0,
    entry: {"a": 0.0, "b": 6.0},
    element: 6.0,
    structure: (6.0, 0.0),
    growing: [0.0, 1.0, 2.0, 3.0],
    dataset: 3.0,  # an error in TensorFlow
    never_used: 1.0,
}


@pytest.mark.parametrize("fn", ANSWERS)
def test_none_enters_a_loop_as_zeros_of_what_an_iteration_makes_of_it(
    fn: Callable[..., Any],
) -> None:
    found = tf.function(fn)(tf.constant(X))
    assert tf.nest.map_structure(lambda t: t.numpy().tolist(), found) == ANSWERS[fn]


def sometimes(x: Any) -> Any:
    s = None
    for e in x:
        if e > 1.0:
            s = e
    return s


def up_to_one(x: Any) -> Any:
    s = None
    for e in x:
        if e > 1.0:
            s = e
            break
    return s


def an_object(x: Any) -> Any:
    s = None
    for _ in x:
        s = object()
    return x if s is None else x * 2.0


def an_array(x: Any) -> Any:
    s: Any = None
    for e in x:
        if s is None:
            s = tf.TensorArray(tf.float32, 3)
        s = s.write(0, e)
    return s.stack()


def in_a_tuple(x: Any) -> Any:
    s: Any = (None, 0.0)
    for e in x:
        s = (e, s[1] + e)
    return s


def in_a_named_tuple(x: Any) -> Any:
    s: Any = Pair(None, 0.0)
    for e in x:
        s = Pair(e, s.b + e)
    return s


def in_a_new_list(x: Any) -> Any:
    s: Any = [None, 0.0]
    for e in x:
        s = [e, s[1] + e]
    return s


def over_a_dataset(x: Any) -> Any:
    s = None
    for e in tf.data.Dataset.from_tensor_slices(x):
        s = e if s is None else s + e
    return s


@pytest.mark.parametrize(
    ("fn", "why"),
    [
        (sometimes, "'s' is not allowed to be None before the loop"),
        (up_to_one, "'s' is not allowed to be None before the loop"),
        (an_object, "'s' is not allowed to be None before the loop"),
        (an_array, "'s' is not allowed to be None before the loop"),
        (over_a_dataset, "'s' is not allowed to be None before the loop"),
        (in_a_tuple, "which holds None, before the loop"),
        (in_a_named_tuple, "which holds None, before the loop"),
        (in_a_new_list, "all in it must be tensors"),
    ],
)
def test_none_that_a_loop_cannot_replace_is_an_error(fn: Callable[..., Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        tf.function(fn)(tf.constant(X))


@pytest.mark.parametrize("fn", [only_set, summed])
def test_a_loop_that_never_runs_leaves_no_value_in_place_of_none(fn: Callable[..., Any]) -> None:
    traced = tf.function(fn, input_signature=[tf.TensorSpec([None])])
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least once"):
        traced(tf.zeros([0]))


def test_code_that_is_not_converted_reads_what_a_loop_put_in_place_of_none() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        s = None
        for e in x:
            s = e

        @tf.autograph.experimental.do_not_convert
        def doubled() -> Any:
            return s * 2.0

        return doubled()

    assert fn(tf.constant(X)).numpy() == 6.0
