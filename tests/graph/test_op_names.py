"""Operations bear the names that TensorFlow gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import runnel as tf
from tests.golden.op_names import CALLS, OTHERWISE_MADE, names, outermost

_ANSWERS = json.loads((Path(__file__).parent.parent / "golden/op_names.json").read_text())


@pytest.mark.parametrize("call", CALLS)
def test_operations_are_named_as_in_tensorflow(call: str) -> None:
    assert names(tf, call) == _ANSWERS[call]


@pytest.mark.parametrize("call", OTHERWISE_MADE)
def test_functions_made_of_other_ops_have_tensorflows_scopes(call: str) -> None:
    assert outermost(names(tf, call)) == _ANSWERS[call]


def _outermost(fn: Any, *specs: tf.TensorSpec) -> list[str]:
    graph = tf.function(fn).get_concrete_function(*specs).graph
    return outermost([op.name for op in graph.get_operations()])


def test_a_call_of_a_function_is_a_scope() -> None:
    v = tf.Variable(1.0)
    add, double = tf.function(lambda x: x + v), tf.function(lambda x: x * 2.0)
    names = _outermost(lambda x: add(x) * double(x) + double(x), tf.TensorSpec([]))
    calls = ["PartitionedCall", "PartitionedCall_1", "StatefulPartitionedCall"]
    assert names == ["Identity", *calls, "add", "mul", "x"]


def test_operations_of_a_called_function_keep_their_scopes() -> None:
    double = tf.function(lambda x: x * 2.0)
    graph = tf.function(lambda x: double(x)).get_concrete_function(tf.TensorSpec([])).graph
    names = [op.name for op in graph.get_operations()]
    inside = ["mul/y", "mul", "Identity"]
    assert names == ["x", *[f"PartitionedCall/{name}" for name in inside], "Identity"]


def test_a_loop_is_a_scope() -> None:
    def fn(n: Any) -> Any:
        i = 0
        while i < n:
            i += 1
        return i

    assert _outermost(fn, tf.TensorSpec([], tf.int32)) == ["Const", "Identity", "n", "while"]


def test_an_assertion_is_a_scope() -> None:
    def fn(x: Any) -> Any:
        tf.debugging.assert_positive(x)
        tf.debugging.assert_less(x, 9.0)
        return x

    assert _outermost(fn, tf.TensorSpec([])) == ["Identity", "assert_less", "assert_positive", "x"]
