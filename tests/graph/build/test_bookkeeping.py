"""The parts of `tf.Graph` and `tf.Operation` that old programs use."""

from __future__ import annotations

import pytest

import runnel as tf


@pytest.fixture
def graph() -> tf.Graph:
    made = tf.Graph()
    with made.as_default():
        tf.add(tf.constant(1.0, name="x"), tf.constant(2.0, name="y"), name="z")
    return made


def test_collections_are_lists_by_name(graph: tf.Graph) -> None:
    graph.add_to_collections(["a", "b"], 3)
    graph.get_collection_ref("a").append(4)
    assert graph.get_collection("a") == [3, 4]
    assert graph.collections == ["a", "b"]
    graph.clear_collection("a")
    assert graph.get_all_collection_keys() == ["b"]


def test_operations_are_counted_and_listed(graph: tf.Graph) -> None:
    assert graph.num_operations() == 3
    assert [op.name for op in graph.operations] == ["x", "y", "z"]
    assert graph.get() is graph
    assert graph.graph_def_versions.producer == tf.version.GRAPH_DEF_VERSION
    graph.Dismantle()
    assert graph.num_operations() == 0


def test_an_operation_is_made_by_the_name_of_its_op(graph: tf.Graph) -> None:
    x, axis = graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("y:0")
    made = graph.create_op("Neg", [x], [tf.float32], name="minus")
    assert (made.name, made.outputs[0].shape) == ("minus", [])
    with pytest.raises(RuntimeError, match="not registered: 'Nonsense'"):
        graph.create_op("Nonsense", [x])
    with pytest.raises(TypeError, match="`dtypes` must be"):
        graph.create_op("Neg", [axis], [tf.int32])


def test_an_operation_is_made_of_its_message(graph: tf.Graph) -> None:
    node = graph.get_operation_by_name("z").node_def
    assert (node.op, list(node.input)) == ("AddV2", ["x", "y"])
    other = tf.Graph()
    with other.as_default():
        a = tf.constant(1.0)
    made = tf.Operation.from_node_def(node, other, [a, a])
    assert (made.name, made.type, made.outputs[0].dtype) == ("z", "AddV2", tf.float32)
    with pytest.raises(ValueError, match="named 'z' already"):
        tf.Operation.from_node_def(node, other, [a, a])


def test_an_operation_stands_beside_another(graph: tf.Graph) -> None:
    x = graph.get_operation_by_name("x")
    with graph.as_default(), graph.colocate_with(x):
        beside = tf.constant(3.0).op
    assert beside.colocation_groups() == x.colocation_groups() == [b"loc:@x"]
    assert list(beside.node_def.attr["_class"].list.s) == [b"loc:@x"]


def test_a_gradient_is_overridden_by_name() -> None:
    @tf.RegisterGradient("FiveTimes")
    def _five_times(op: tf.Operation, dy: tf.Tensor) -> tf.Tensor:
        return 5.0 * dy

    @tf.function
    def slope(x: tf.Tensor) -> tf.Tensor:
        graph = x.graph
        with graph.gradient_override_map({"Square": "FiveTimes"}):
            y = tf.square(x)
        return tf.gradients(y, [x])[0]

    assert slope(tf.constant(3.0)).numpy() == 5.0


def test_what_may_be_fed_and_fetched_is_noted(graph: tf.Graph) -> None:
    x = graph.get_tensor_by_name("x:0")
    assert graph.is_feedable(x) and graph.is_fetchable(x)
    graph.prevent_feeding(x)
    graph.prevent_fetching(x.op)
    assert not graph.is_feedable(x)
    assert not graph.is_fetchable(x)


def test_the_declaration_of_an_op_is_a_message(graph: tf.Graph) -> None:
    declared = graph.op_def_for_type("Squeeze")
    assert [arg.type_attr for arg in declared.input_arg] == ["T"]
    assert {attr.name: attr.type for attr in declared.attr} == {
        "T": "type",
        "squeeze_dims": "list(int)",
    }
    with pytest.raises(tf.errors.NotFoundError):
        graph.op_def_for_type("Nonsense")


def test_there_is_no_default_session_to_run_in(graph: tf.Graph) -> None:
    with pytest.raises(ValueError, match="no default session"):
        graph.get_operation_by_name("x").run()
