"""Scopes of names, control dependencies, `init_scope`, creators of variables."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType
from typing import Any

import pytest

import runnel as tf
from runnel.core.op.context import state

pytestmark = pytest.mark.smoke

EAGER = [
    (("a",), ["a/"], "a/v:0"),
    (("a", "b"), ["a/", "a/b/"], "a/b/v:0"),
    (("a", "b/"), ["a/", "b/"], "b/v:0"),
    (("a", ""), ["a/", ""], "v:0"),
    (("a", "a"), ["a/", "a/a/"], "a/a/v:0"),
    (("a/b",), ["a/b/"], "a/b/v:0"),
    (("a b",), ["a b/"], "a b/v:0"),
]


@pytest.mark.parametrize(("names", "scopes", "name"), EAGER)
def test_eager_scopes_name_variables(names: Any, scopes: list[str], name: str) -> None:
    with ExitStack() as stack:
        assert [stack.enter_context(tf.name_scope(n)) for n in names] == scopes
        assert tf.Variable(1.0, name="v").name == name
    assert tf.get_current_name_scope() == ""


def test_scopes_of_a_graph_are_unique_without_regard_to_case() -> None:
    def enter(*names: str) -> list[str]:
        with ExitStack() as stack:
            return [stack.enter_context(tf.name_scope(n)) for n in names]

    with tf.Graph().as_default():
        assert [enter("a"), enter("a"), enter("a", "b"), enter("A")] == [
            ["a/"],
            ["a_1/"],
            ["a_2/", "a_2/b/"],
            ["A_3/"],
        ]
        assert enter("a/", "c") == ["a/", "a/c/"]


@pytest.mark.parametrize("name", ["a b", "_a"])
def test_names_that_no_graph_takes_are_refused_there(name: str) -> None:
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match="valid scope name"),
        tf.name_scope(name),
    ):
        pass


def test_a_scope_object_can_be_entered_again() -> None:
    scope = tf.name_scope("again")
    with scope as first:
        pass
    with scope as second:
        pass
    assert first == second == "again/"


def test_eager_control_inputs_are_called_if_they_can_be() -> None:
    calls: list[int] = []
    with tf.control_dependencies([tf.constant(1), lambda: calls.append(1), None]):
        pass
    with tf.control_dependencies(None):
        pass
    assert calls == [1]
    with pytest.raises(TypeError):
        tf.control_dependencies(3)


def test_control_inputs_of_a_graph_become_those_of_its_operations() -> None:
    outside = [tf.Variable(1.0), tf.constant(1.0)]
    with tf.Graph().as_default():
        first = tf.constant(1.0)
        with tf.control_dependencies([first, *outside]):
            second = tf.constant(2.0)
            with tf.control_dependencies(None):
                third = tf.constant(3.0)
    assert list(second.op.control_inputs) == [first.op]
    assert list(third.op.control_inputs) == []


def test_group_and_tuple_wait_in_graphs_and_do_nothing_outside() -> None:
    x = tf.constant(1.0)
    assert tf.group(x, x) is None and tf.no_op() is None
    with tf.Graph().as_default():
        y = tf.constant(1.0)
        assert list(tf.group(y).control_inputs) == [y.op]
        (z, nothing) = tf.tuple([y, None])
        (gate,) = z.op.control_inputs
        assert gate.type == "NoOp" and list(gate.control_inputs) == [y.op] and nothing is None
        with pytest.raises(TypeError, match=r"tf\.group"):
            tf.group(3)


def test_init_scope_lifts_out_of_the_function_and_its_tape() -> None:
    v = tf.Variable(2.0)
    seen = []

    @tf.function
    def f() -> tf.Tensor:
        seen.append((tf.executing_eagerly(), tf.inside_function()))
        with tf.init_scope():
            seen.append((tf.executing_eagerly(), tf.inside_function()))
        return v * 1.0

    f()
    assert seen == [(False, True), (True, True)]
    with tf.GradientTape() as tape, tf.init_scope():
        y = v * v
    assert tape.gradient(y, v) is None


def test_init_scope_keeps_the_names() -> None:
    with tf.name_scope("q"), tf.init_scope():
        assert tf.Variable(1.0).name == "q/Variable:0"


def test_the_innermost_creator_is_asked_first() -> None:
    order = []

    def outer(next_creator: Any, **kwargs: Any) -> Any:
        order.append("outer")
        return next_creator(**kwargs)

    def inner(next_creator: Any, **kwargs: Any) -> Any:
        order.append("inner")
        assert kwargs["initial_value"] == 1.0 and kwargs["name"] is None
        return next_creator(**{**kwargs, "name": "made"})

    with tf.variable_creator_scope(outer), tf.variable_creator_scope(inner):
        v = tf.Variable(1.0)
    assert order == ["inner", "outer"] and v.name == "made:0"
    assert tf.Variable(1.0).name == "Variable:0"


def test_the_graph_around_an_init_scope_is_known() -> None:
    found = []

    @tf.function
    def trace() -> None:
        graph = tf.__internal__.innermost_graph()
        with tf.init_scope():
            found.append(tf.__internal__.innermost_graph() is graph)
            with tf.Graph().as_default() as inner:
                found.append(tf.__internal__.innermost_graph() is inner)
        found.append(graph.building_function)

    trace()
    assert found == [True, True, True] and tf.__internal__.innermost_graph() is None


def _struck(block: Callable[[], Any], place: int) -> bool:
    """Enter and leave a block; an interrupt strikes at so many lines of the library, if any."""
    left = place

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        left -= "/runnel/" in frame.f_code.co_filename
        if left == 0:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    before, entered = sys.gettrace(), block()
    sys.settrace(trace)
    try:
        with entered:
            pass
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize(
    "block", [lambda: tf.name_scope("a"), tf.GradientTape, lambda: tf.device("CPU:0")]
)
def test_an_interrupt_leaves_no_block_open(block: Callable[[], Any]) -> None:
    block()
    place = 1
    while _struck(block, place):
        assert (state.scopes, state.tapes, state.device) == ((), (), None), place
        place += 1
    assert place > 10
