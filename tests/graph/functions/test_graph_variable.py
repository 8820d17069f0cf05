"""Variables in a plain `tf.Graph`; TensorFlow's names and types of operations are written here."""

from __future__ import annotations

import pytest

import runnel as tf


def _operations(graph: tf.Graph) -> list[tuple[str, str]]:
    return [(op.name, op.type) for op in graph.get_operations()]


def test_a_variable_is_a_handle_with_operations_that_begin_and_read_it() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable(lambda: tf.ones([2]), name="v")
    assert _operations(graph) == [
        ("v/Initializer/ones", "Const"),
        ("v", "VarHandleOp"),
        ("v/IsInitialized/VarIsInitializedOp", "VarIsInitializedOp"),
        ("v/Assign", "AssignVariableOp"),
        ("v/Read/ReadVariableOp", "ReadVariableOp"),
    ]
    assert repr(v) == "<tf.Variable 'v:0' shape=(2,) dtype=float32>"
    assert (v.op.name, v.initializer.name) == ("v", "v/Assign")
    assert v.initial_value.name == "v/Initializer/ones:0"
    assert v.graph is graph


def test_names_are_unique_and_scoped() -> None:
    with tf.Graph().as_default(), tf.name_scope("a"):
        assert [tf.Variable(1.0).name for _ in range(2)] == ["a/Variable:0", "a/Variable_1:0"]


def test_variables_are_in_the_collections_of_their_graph() -> None:
    with tf.Graph().as_default() as graph:
        v, w = tf.Variable(1.0), tf.Variable(2, trainable=False)
    assert [x.name for x in graph.get_collection("variables")] == [v.name, w.name]
    assert [x.name for x in graph.get_collection("trainable_variables")] == [v.name]


def test_a_graph_with_a_variable_runs_once_it_is_imported() -> None:
    with tf.Graph().as_default() as graph:
        v = tf.Variable([1.0, 2.0], name="imported_variable")
        v.assign_add([1.0, 1.0])
        tf.multiply(v, 10.0, name="y")

    @tf.function
    def run() -> tf.Tensor:
        (y,) = tf.graph_util.import_graph_def(graph.as_graph_def(), return_elements=["y:0"])
        return y

    assert run().numpy().tolist() == [20.0, 30.0]


def test_a_function_reads_the_variable_of_the_graph_around_it() -> None:
    with tf.Graph().as_default():
        v = tf.Variable([1.0, 2.0])
        y = tf.function(lambda x: x + v)(tf.constant(1.0))
    assert y.shape == [2]


def test_a_value_is_to_be_had_in_a_running_graph_only() -> None:
    with tf.Graph().as_default():
        v = tf.Variable(1.0)
        with pytest.raises(NotImplementedError, match="eager execution"):
            v.numpy()
    with pytest.raises(RuntimeError, match="where its graph runs"):
        v.value()


def test_a_graph_cannot_use_a_variable_made_outside() -> None:
    v = tf.Variable(1.0)
    with tf.Graph().as_default(), pytest.raises(RuntimeError, match="without building a function"):
        v + 1.0


def test_a_variable_of_a_graph_does_not_begin_with_an_argument_of_a_function():
    kept = []

    @tf.function
    def f(x):
        kept.append(tf.Variable(x))
        return x

    with tf.Graph().as_default(), pytest.raises(ValueError, match="an argument of a function"):
        f(tf.constant(1.0))
