"""Graphs as messages: what stands in them, and that TensorFlow could use them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format

import runnel as tf
from runnel.core.op.vjp import derived as vjp
from runnel.core.protos import messages
from tests.golden.dataset_programs import PROGRAMS

CHECKED = Path(__file__).parents[2] / "golden" / "graph_defs" / "checked.json"


def concrete(fn: Any, *specs: Any) -> Any:
    return tf.function(fn, autograph=False).get_concrete_function(*specs)


def nodes(proto: Any) -> dict[str, Any]:
    return {node.name: node for node in proto}


@pytest.mark.parametrize("name", PROGRAMS)
def test_tensorflow_has_run_the_graph_with_the_same_results(name: str) -> None:
    checked = json.loads(CHECKED.read_text())
    assert checked.get(name) == {"graph": "same", "function": "same"}


def test_a_node_has_inputs_and_typed_attributes() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant([[1.0, 2.0]], name="x")
        low, high = tf.split(x, 2, axis=1, name="parts")
        with tf.control_dependencies([x]):
            tf.squeeze(high, [1], name="y")
        tf.concat([low, high], 0, name="z")
    message = graph.as_graph_def()
    found = nodes(message.node)
    assert found["y"].input == ["parts:1", "^x"]
    assert found["y"].attr["squeeze_dims"].list.i == [1]
    assert found["y"].attr["T"].type == tf.float32.enum
    assert found["z"].attr["N"].i == 2
    assert tf.make_ndarray(found["x"].attr["value"].tensor).tolist() == [[1.0, 2.0]]
    assert message.versions.producer == tf.version.GRAPH_DEF_VERSION


def test_shapes_are_written_when_asked_for() -> None:
    function = concrete(lambda x: tf.identity(x), tf.TensorSpec([2, None]))
    plain = function.graph.as_graph_def().node[-1]
    known = function.graph.as_graph_def(add_shapes=True).node[-1]
    assert "_output_shapes" not in plain.attr
    assert tf.TensorShape(known.attr["_output_shapes"].list.shape[0]).as_list() == [2, None]


def test_later_nodes_alone_can_be_had() -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="a")
        version = graph.version
        tf.constant(2, name="b")
    assert [n.name for n in graph.as_graph_def(from_version=version).node] == ["b"]


def test_integers_for_an_attribute_of_floats_are_floats() -> None:
    with tf.Graph().as_default() as graph:
        tf.raw_ops.LeakyRelu(features=[1.0], alpha=1, name="y")
    assert nodes(graph.as_graph_def().node)["y"].attr["alpha"].f == 1.0


def test_the_shapes_that_an_example_is_parsed_to_are_written() -> None:
    features = {"a": tf.io.FixedLenFeature([2], tf.float32)}
    with tf.Graph().as_default() as graph:
        tf.io.parse_example(tf.constant([b""]), features, name="parsed")
    (node,) = [node for node in graph.as_graph_def().node if node.op == "ParseExampleV2"]
    assert tf.TensorShape(node.attr["dense_shapes"].list.shape[0]).as_list() == [2]


def test_an_attribute_that_only_loops_have_for_themselves_is_written_elsewhere() -> None:
    v = tf.Variable(1)
    function = concrete(
        lambda: tf.raw_ops.ResourceCountUpTo(resource=v.handle, limit=5, T=tf.int32)
    )
    (node,) = [op.node_def for op in function.graph.get_operations() if "Count" in op.type]
    assert node.attr["limit"].i == 5


def test_a_function_has_arguments_results_and_ordered_effects() -> None:
    v = tf.Variable([1.0, 2.0])

    def fn(x: Any) -> Any:
        before = v * 1.0
        v.assign_add(x)
        return before, v.read_value()

    function = concrete(fn, tf.TensorSpec([2]))
    proto = function.function_def
    assert proto.signature.name.encode() == function.name
    assert [a.type for a in proto.signature.input_arg] == [tf.float32.enum, tf.resource.enum]
    assert tf.TensorShape(proto.signature.input_arg[1].handle_data[0].shape).as_list() == [2]
    assert proto.signature.is_stateful and proto.signature.control_output == ["AssignAddVariableOp"]
    assert proto.control_ret["AssignAddVariableOp"] == "AssignAddVariableOp"
    found = nodes(proto.node_def)
    reads = [n.name for n in proto.node_def if n.op == "ReadVariableOp"]
    assert f"^{reads[0]}" in found["AssignAddVariableOp"].input
    assert "^AssignAddVariableOp" in found[reads[1]].input
    results = [proto.ret[a.name] for a in proto.signature.output_arg]
    assert results == ["Identity:output:0", "Identity_1:output:0"]
    assert [found[r.partition(":")[0]].input[0] for r in results] == [
        "mul:z:0",
        f"{reads[1]}:value:0",
    ]


def test_a_branch_that_reads_a_variable_is_stateful_to_tensorflow() -> None:
    v = tf.Variable(1.0)

    def fn(p: Any) -> Any:
        return tf.cond(p, lambda: v + 1.0, lambda: tf.constant(0.0))

    proto = concrete(fn, tf.TensorSpec([], tf.bool)).function_def
    assert [n.op for n in proto.node_def] == ["If", "Identity", "Identity"]


def test_functions_are_named_by_their_content() -> None:
    def fn(x: Any) -> Any:
        half = tf.cond(x > 0, lambda: x / 2.0, lambda: x)
        again = tf.cond(x > 0, lambda: x / 2.0, lambda: x)
        return half + again + tf.cond(x > 0, lambda: x / 3.0, lambda: x)

    def names() -> list[str]:
        library = concrete(fn, tf.TensorSpec([])).graph.as_graph_def().library
        return [f.signature.name for f in library.function]

    assert len(names()) == len(set(names())) == 6
    assert names() == names()


@pytest.mark.parametrize("loop", [True, False])
def test_what_a_gradient_added_is_left_out(loop: bool) -> None:
    def fn(x: Any) -> Any:
        if loop:
            return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])[1]
        return tf.cond(x > 0, lambda: tf.exp(x) * x, lambda: x)

    function = concrete(fn, tf.TensorSpec([]))
    before = function.function_def
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert tape.gradient(y, x) is not None
    assert function.function_def == before


def test_a_loop_differentiated_in_its_own_graph_keeps_values_in_lists() -> None:
    def fn(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * y), [0, x])[1]
        return tape.gradient(y, x)

    function = concrete(fn, tf.TensorSpec([]))
    message = function.graph.as_graph_def()
    loop = next(n for n in message.node if n.op == "StatelessWhile")
    assert "EmptyTensorList" in [n.op for n in message.node]
    bodies = {f.signature.name: f for f in message.library.function}
    body = bodies[loop.attr["body"].func.name]
    assert "TensorListPushBack" in [n.op for n in body.node_def]
    assert len(loop.input) == len(body.signature.output_arg) == len(loop.attr["T"].list.type)


def test_an_op_that_tensorflow_does_not_have_is_named() -> None:
    with tf.Graph().as_default() as graph:
        y = tf.raw_ops.Exp(x=tf.constant([1.0]))
        vjp(y.op, tf.constant([1.0]))
    with pytest.raises(NotImplementedError, match="ExpVjp"):
        graph.as_graph_def()


def test_a_graph_is_written_to_a_file(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(np.eye(2), name="x")
    message = graph.as_graph_def()
    text = Path(tf.io.write_graph(graph, tmp_path / "new", "graph.pbtxt")).read_text()
    parsed = text_format.Parse(text, messages.GraphDef(), descriptor_pool=messages.pool())
    assert parsed == message
    path = tf.io.write_graph(message, str(tmp_path), "graph.pb", as_text=False)
    assert messages.GraphDef.FromString(Path(path).read_bytes()) == message
    assert sorted(p.name for p in tmp_path.iterdir()) == ["graph.pb", "new"]


def test_operations_are_named_by_operator_and_argument_as_tensorflow_does() -> None:
    v = tf.Variable(1.0)

    def fn(x: Any) -> Any:
        v.assign_add(x)
        return x * 2.0 > 0.0, tf.multiply(x, 3.0)

    graph = concrete(fn, tf.TensorSpec([])).graph
    assert [op.name for op in graph.get_operations()] == [
        "x",
        "AssignAddVariableOp/resource",
        "AssignAddVariableOp",
        "mul/y",
        "mul",
        "Greater/y",
        "Greater",
        "Mul_1/y",
        "Mul_1",
        "Identity",
        "Identity_1",
        "NoOp",
    ]


def test_nodes_bear_the_notes_that_tensorflow_makes() -> None:
    v = tf.Variable(1.0)

    def fn(x: Any) -> Any:
        awaited = x + 1.0
        with tf.control_dependencies([awaited]):
            y = tf.identity(x)
        return tf.cond(y > 0.0, lambda: y * v, lambda: y)

    message = concrete(fn, tf.TensorSpec([])).graph.as_graph_def()
    nodes = {node.name: node for node in message.node}
    assert nodes["x"].attr["_user_specified_name"].s == b"x"
    assert nodes["add"].attr["_has_manual_control_dependencies"].b
    assert nodes["cond"].attr["_lower_using_switch_merge"].b
    assert list(nodes["cond"].attr["_read_only_resource_inputs"].list.i) == [2]
    assert message.versions.min_consumer == 12
    contexts = {f.attr["_construction_context"].s for f in message.library.function}
    assert contexts == {b"kEagerRuntime"}


def test_a_loop_says_how_many_outputs_it_began_with() -> None:
    def fn(x: Any) -> Any:
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])

    message = concrete(fn, tf.TensorSpec([])).graph.as_graph_def()
    (loop,) = (node for node in message.node if node.name == "while")
    assert loop.attr["_num_original_outputs"].i == len(loop.attr["T"].list.type)


def test_results_wait_for_side_effects() -> None:
    v = tf.Variable(1.0)

    def fn(x: Any) -> Any:
        v.assign_add(x)
        return x + 1.0

    graph = concrete(fn, tf.TensorSpec([])).graph
    nodes = {node.name: list(node.input) for node in graph.as_graph_def().node}
    assert nodes["NoOp"] == ["^AssignAddVariableOp"]
    assert nodes["Identity"] == ["add", "^NoOp"]
    assert graph.get_operations()[-1].type == "NoOp"


def test_large_fillings_are_no_constants() -> None:
    graph = concrete(lambda: tf.zeros([40, 40]) + tf.ones([2])[0]).graph
    found = [(op.name, op.type) for op in graph.get_operations()][:4]
    shape = [("zeros/shape_as_tensor", "Const"), ("zeros/Const", "Const"), ("zeros", "Fill")]
    assert found == [*shape, ("ones", "Const")]


def test_functions_of_branches_and_loops_are_named_after_their_operations() -> None:
    def fn(x: Any) -> Any:
        with tf.name_scope("outer"):
            y = tf.cond(x > 0.0, lambda: x, lambda: x * 2.0)
        z = tf.switch_case(tf.cast(y, tf.int32), [lambda: y, lambda: y + 1.0])
        return tf.while_loop(lambda i: i < 3.0, lambda i: i + 1.0, [z], name="mine")

    library = concrete(fn, tf.TensorSpec([])).graph.as_graph_def().library
    names = sorted(f.signature.name.rpartition("_")[0] for f in library.function)
    branches = ["outer_cond_false", "outer_cond_true"]
    cases = ["switch_case_indexed_case_branch0", "switch_case_indexed_case_branch1"]
    assert names == ["mine_body", "mine_cond", *branches, *cases]


def test_a_loop_that_keeps_nothing_but_its_length_is_written_with_it() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def slope(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x + 0.0
            for _ in tf.range(tf.shape(x)[0]):
                y = y
            z = y * 2.0
        return tape.gradient(z, x)

    nodes = {node.name: node for node in slope.get_concrete_function().graph.as_graph_def().node}
    used = [name for node in nodes.values() for name in node.input if name.startswith("while:")]
    last = max(int(name.split(":")[1]) for name in used)
    assert last < len(nodes["while"].attr["T"].list.type)


def test_what_tensorflow_needs_to_differentiate_the_gradient_of_a_loop_is_written() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def slope(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.foldl(lambda a, e: tf.sin(a + e), x, tf.constant(0.0))
        return tape.gradient(y, x)

    graph_def = slope.get_concrete_function().graph.as_graph_def()
    nodes = {node.name: node for node in graph_def.node}
    functions = {function.signature.name: function for function in graph_def.library.function}
    loops = [node for node in nodes.values() if node.op == "StatelessWhile"]
    for loop in loops:
        assert loop.attr["_num_original_outputs"].i == len(loop.attr["T"].list.type)
        body = functions[loop.attr["body"].func.name]
        counted = body.ret[body.signature.output_arg[0].name].split(":")[0]
        assert next(node.op for node in body.node_def if node.name == counted) == "AddV2"
    assert len(loops) == 2
