"""Scopes of functions that are made of several ops."""

from __future__ import annotations

import inspect
import sys
from typing import Any

import pytest

import runnel as tf
from runnel.core.settings.scoped import scoped

pytestmark = pytest.mark.smoke


@scoped("both")
def _both(x: Any, *more: Any, name: str | None = None) -> Any:
    """Two operations."""
    return tf.negative(tf.square(x, name=name))


@scoped("last", last=True)
def _last(x: Any, /, factor: Any = 2.0, *, name: str | None = None) -> Any:
    return tf.multiply(tf.square(x), factor, name=name)


@scoped("unnamed")
def _unnamed(x: Any) -> Any:
    return tf.square(x)


def _names(fn: Any) -> list[str]:
    with tf.Graph().as_default() as graph:
        x = tf.constant(3.0, name="x")
        fn(x)
        fn(x)
    return [op.name for op in graph.get_operations()][1:]


def test_operations_are_named_inside_the_scope() -> None:
    assert _names(_both) == ["both/Square", "both/Neg", "both_1/Square", "both_1/Neg"]
    assert _names(_unnamed) == ["unnamed/Square", "unnamed_1/Square"]


def test_a_name_is_that_of_the_scope() -> None:
    assert _names(lambda x: _both(x, name="mine"))[:2] == ["mine/Square", "mine/Neg"]


def test_the_last_operation_may_bear_the_name_of_the_scope() -> None:
    names = _names(lambda x: _last(x, factor=5.0))
    assert names[:3] == ["last/Square", "last/y", "last"]
    assert names[-1] == "last_1"


def test_outside_graphs_nothing_changes() -> None:
    assert _both(tf.constant(3.0)).numpy() == -9.0
    assert _last(tf.constant(3.0)).numpy() == 18.0
    assert _last(tf.constant(3.0), 3.0, name="ignored").numpy() == 27.0


def test_the_function_is_still_itself() -> None:
    assert _both.__doc__ == "Two operations."
    assert list(inspect.signature(_last).parameters) == ["x", "factor", "name"]
    assert "tf.multiply(tf.square(x)" in inspect.getsource(_last)


def test_a_function_and_its_scope_are_in_files_with_their_lines() -> None:
    """So a debugger shows what it steps through, and doctest finds each example once."""
    assert _last.__code__.co_filename == scoped.__code__.co_filename
    assert vars(sys.modules[__name__]) is _last.__globals__
    modules = [m for name, m in sys.modules.items() if name.startswith("runnel.ops.")]
    copies = [v for m in modules for k, v in vars(m).items() if k.startswith("__itself_")]
    assert copies and not [v for v in copies if v.__doc__]
