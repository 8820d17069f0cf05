"""Operations bear the names that TensorFlow gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import runnel as tf
from tests.golden.op_names import (
    CALLS,
    DIFFERENTIATED,
    OF_VARIABLES,
    OTHERWISE_MADE,
    gradient_names,
    names,
    names_with_variables,
    outermost,
)
from tests.tables import table

pytestmark = pytest.mark.smoke

_ANSWERS = json.loads((Path(__file__).parent.parent / "golden/op_names.json").read_text())


@table("call", CALLS)
def test_operations_are_named_as_in_tensorflow(call: str) -> None:
    assert names(tf, call) == _ANSWERS[call]


@table("call", OTHERWISE_MADE)
def test_functions_made_of_other_ops_have_tensorflows_scopes(call: str) -> None:
    assert outermost(names(tf, call)) == _ANSWERS[call]


@table("call", DIFFERENTIATED)
def test_operations_of_gradients_are_those_of_tensorflow(call: str) -> None:
    assert gradient_names(tf, call) == _ANSWERS[f"gradient of {call}"]


@table("call", OF_VARIABLES)
def test_a_variable_is_read_in_the_scope_of_what_takes_it(call: str) -> None:
    assert names_with_variables(tf, call) == _ANSWERS[f"variables: {call}"]


def _outermost(fn: Any, *specs: tf.TensorSpec) -> list[str]:
    graph = tf.function(fn).get_concrete_function(*specs).graph
    return outermost([op.name for op in graph.get_operations()])


def test_a_call_of_a_function_is_a_scope() -> None:
    v = tf.Variable(1.0)
    add, double = tf.function(lambda x: x + v), tf.function(lambda x: x * 2.0)
    names = _outermost(lambda x: add(x) * double(x) + double(x), tf.TensorSpec([]))
    calls = ["PartitionedCall", "PartitionedCall_1", "StatefulPartitionedCall"]
    assert names == ["Identity", "NoOp", *calls, "add", "mul", "x"]


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

    names = _outermost(fn, tf.TensorSpec([]))
    assert names == ["Identity", "NoOp", "assert_less", "assert_positive", "x"]


def _train_step() -> Any:
    w = tf.Variable(tf.ones([3, 2]), name="w")

    def step(x: Any) -> Any:
        with tf.name_scope("forward"), tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.exp(tf.matmul(x, w)) * 2.0)
        with tf.name_scope("backward"):
            slope = tape.gradient(loss, w)
            again = tf.gradients(loss, x)
        return slope, again

    return step


def test_gradients_are_named_by_where_the_operations_were_made() -> None:
    graph = tf.function(_train_step()).get_concrete_function(tf.TensorSpec([1, 3])).graph
    names = [op.name for op in graph.get_operations()]
    assert names[names.index("backward/ones") :] == [
        "backward/ones",
        "gradient_tape/forward/Reshape/shape",
        "gradient_tape/forward/Reshape",
        "gradient_tape/forward/Const",
        "gradient_tape/forward/Tile",
        "gradient_tape/forward/mul/Mul",
        "gradient_tape/forward/mul",
        "gradient_tape/forward/MatMul/MatMul",
        "backward/gradients/Shape",
        "backward/gradients/grad_ys_0/Const",
        "backward/gradients/grad_ys_0",
        "backward/gradients/forward/Sum_grad/Reshape/shape",
        "backward/gradients/forward/Sum_grad/Reshape",
        "backward/gradients/forward/Sum_grad/Const",
        "backward/gradients/forward/Sum_grad/Tile",
        "backward/gradients/forward/mul_grad/Mul",
        "backward/gradients/forward/mul_grad/Mul_1",
        "backward/gradients/forward/mul_grad/Shape",
        "backward/gradients/forward/mul_grad/Shape_1",
        "backward/gradients/forward/mul_grad/Sum/reduction_indices",
        "backward/gradients/forward/mul_grad/Sum",
        "backward/gradients/forward/mul_grad/Reshape",
        "backward/gradients/forward/Exp_grad/mul",
        "backward/gradients/forward/MatMul_grad/MatMul",
        "backward/gradients/forward/MatMul_grad/MatMul_1",
        "Identity",
        "Identity_1",
        "NoOp",
    ]


def test_gradients_of_complex_tensors_must_be_given_a_start() -> None:
    def fn(x: Any) -> Any:
        return tf.gradients(tf.complex(x, x), x)

    with pytest.raises(TypeError, match="grad_ys"):
        tf.function(fn).get_concrete_function(tf.TensorSpec([2]))


def test_sums_of_texts_are_named_after_the_operator_and_the_function() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def fn(x: Any) -> Any:
        return x + x + "x", "y" + x, tf.add(x, x)

    operations = fn.get_concrete_function().graph.get_operations()
    assert [op.name for op in operations if op.type == "Add"] == ["add", "add_1", "add_2", "Add_3"]
