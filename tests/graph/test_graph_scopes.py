"""What a `tf.Graph` does about control dependencies, devices, names and elements."""

from __future__ import annotations

from typing import Any

import pytest

import runnel as tf


def _names(operations: Any) -> list[str]:
    return [op.name for op in operations]


def test_an_operation_does_not_wait_for_what_its_inputs_wait_for() -> None:
    with tf.Graph().as_default():
        a, b = tf.constant(1, name="a"), tf.constant(1, name="b")
        with tf.control_dependencies([a]), tf.control_dependencies([b]):
            nothing = tf.no_op()
            with tf.control_dependencies(None):
                free = tf.no_op()
            first = tf.identity(a)
            second = tf.identity(first)
    waits = [_names(op.control_inputs) for op in (nothing, free, first.op, second.op)]
    assert waits == [["a", "b"], [], ["b"], []]


@pytest.mark.parametrize(
    ("given", "error"),
    [("no such op", KeyError), (3, TypeError), (lambda: 1, TypeError)],
)
def test_control_inputs_are_elements_of_the_graph(given: Any, error: type[Exception]) -> None:
    with tf.Graph().as_default():
        a = tf.constant(1, name="a")
        with tf.control_dependencies(["a", a.op]):
            assert _names(tf.no_op().control_inputs) == ["a"]
        with pytest.raises(error), tf.control_dependencies([given]):
            tf.no_op()


def test_control_inputs_of_another_graph_are_refused() -> None:
    with tf.Graph().as_default():
        a = tf.constant(1)
    with tf.Graph().as_default(), pytest.raises(ValueError), tf.control_dependencies([a]):
        tf.no_op()


def test_values_that_are_known_need_no_waiting() -> None:
    v = tf.Variable(1.0)
    x = tf.constant(2.0)

    @tf.function
    def f() -> Any:
        with tf.control_dependencies([v, x, tf.debugging.assert_rank(x, 0)]):
            return tf.identity(3.0)

    assert f().numpy() == 3.0


def test_a_function_places_operations() -> None:
    graph = tf.Graph()
    with graph.as_default(), graph.device(lambda op: "/cpu:1" if op.type == "Const" else None):
        a = tf.constant(1)
        b = tf.identity(a)
        with tf.device("/job:worker"):
            c = tf.constant(2)
            d = tf.identity(c)
    assert [t.device for t in (a, b, c, d)] == ["/cpu:1", "", "/cpu:1", "/job:worker"]


def test_elements_are_found_by_names_of_their_kind() -> None:
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(1, name="a")
    assert graph.as_graph_element("a").type == "Const"
    assert graph.as_graph_element("a:0", allow_operation=False).dtype is tf.int32
    for name, options in (("a", {"allow_operation": False}), ("a:0", {"allow_tensor": False})):
        with pytest.raises(ValueError, match="looks like the name"):
            graph.as_graph_element(name, **options)
    with pytest.raises(ValueError, match="looks like the name"):
        graph.get_operation_by_name("a:0")


def test_an_operation_prints_as_its_message() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0, name="x")
    assert 'name: "x"' in str(x.op) and str(x.op) == str(x.op.node_def)
    assert repr(x.op) == "<tf.Operation 'x' type=Const>"


def test_a_symbolic_tensor_has_no_value_without_a_session() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0)
    with pytest.raises(ValueError, match="no default session"):
        x.eval()


def test_init_scope_stays_in_a_plain_graph() -> None:
    with tf.Graph().as_default() as graph:
        with tf.init_scope():
            assert not tf.executing_eagerly()
            assert tf.constant(1.0).graph is graph

        @tf.function
        def f(x: Any) -> Any:
            with tf.init_scope():
                assert tf.constant(1.0).graph is graph
            return x

        f(tf.constant(1.0))


def test_the_seed_set_in_a_graph_is_that_of_the_graph() -> None:
    with tf.Graph().as_default() as graph:
        tf.random.set_seed(5)
        assert graph.seed == 5
    assert tf.Graph().seed is None


def test_tensors_of_a_plain_graph_are_compared_and_hashed_by_identity() -> None:
    with tf.Graph().as_default():
        a, b = tf.constant(1.0), tf.constant(1.0)
        assert a == a
        assert a != b
        assert {a: 1, b: 2}[b] == 2
        assert b in [a, b]

    @tf.function
    def fn(x: tf.Tensor) -> tf.Tensor:
        with pytest.raises(TypeError, match="unhashable"):
            hash(x)
        return x == 1.0

    assert fn(tf.constant(1.0))


def test_an_operation_is_a_consumer_as_often_as_it_takes_a_tensor() -> None:
    with tf.Graph().as_default():
        a = tf.constant(1.0)
        b = tf.multiply(a, a, name="b")
        assert [op.name for op in a.consumers()] == ["b", "b"]
        assert b.consumers() == []
        tf.negative(b, name="later")
        assert [op.name for op in b.consumers()] == ["later"]


def test_gradients_stop_at_a_single_tensor() -> None:
    @tf.function
    def fn(x: tf.Tensor) -> list[tf.Tensor]:
        a = x * 2.0
        return tf.gradients(a * x, x, stop_gradients=a)

    assert fn(tf.constant(3.0))[0].numpy() == 6.0
