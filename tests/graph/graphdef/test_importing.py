"""GraphDefs that TensorFlow wrote, and our own, imported and run."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format
from google.protobuf.message import DecodeError

import runnel as tf
from runnel.core.protos import messages
from runnel.core.values.array_protos import array_of
from runnel.graph.graphdef import importing
from runnel.graph.run.plan import Plan
from tests.golden.dataset_programs import INPUTS, PROGRAMS, trace

FOLDER = Path(__file__).parents[2] / "golden" / "graph_defs"
ANSWERS = json.loads((FOLDER / "answers.json").read_text())
X = 'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }'
NEG = 'node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }'


def parse(text: str) -> Any:
    return text_format.Parse(text, messages.GraphDef(), descriptor_pool=messages.pool())


def run(message: Any, inputs: list[str], outputs: list[str], values: Any) -> list[Any]:
    """Import a message and run it, interpreted and compiled; both must agree."""
    with tf.Graph().as_default() as graph:
        tensors = tf.graph_util.import_graph_def(message, return_elements=[*inputs, *outputs])
    plan = Plan(graph, tensors[: len(inputs)], tensors[len(inputs) :])
    results = plan.run(list(values))
    for a, b in zip(plan.run_compiled(list(values)), results, strict=True):
        assert_close(np.asarray(a), np.asarray(b))
    return results


def assert_close(got: np.ndarray, want: np.ndarray) -> None:
    assert got.dtype == want.dtype and got.shape == want.shape
    if want.dtype.kind in "fcV" and want.dtype != object:
        wide = np.complex128 if want.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(got.astype(wide), want.astype(wide), rtol=2e-5, atol=2e-5)
    else:
        np.testing.assert_array_equal(got, want)


def answers(name: str) -> list[np.ndarray]:
    """What TensorFlow gave for a program."""
    found = [bytes.fromhex(text) for text in ANSWERS[name]["results"]]
    return [array_of(messages.TensorProto.FromString(data)) for data in found]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_that_tensorflow_wrote_gives_its_results(name: str) -> None:
    message = messages.GraphDef.FromString((FOLDER / f"{name}.pb").read_bytes())
    answer = ANSWERS[name]
    results = run(message, answer["inputs"], answer["outputs"], INPUTS[name])
    for got, want in zip(results, answers(name), strict=True):
        assert_close(np.asarray(got), want)


def test_a_function_that_joins_calls_into_batches_is_called() -> None:
    message = messages.GraphDef.FromString((FOLDER / "calls.pb").read_bytes())
    bodies = [message.node, *[f.node_def for f in message.library.function]]
    calls = [n for nodes in bodies for n in nodes if n.op.endswith("PartitionedCall")]
    assert calls
    for node in calls:
        node.op = "BatchFunction"
    answer = ANSWERS["calls"]
    results = run(message, answer["inputs"], answer["outputs"], INPUTS["calls"])
    for got, want in zip(results, answers("calls"), strict=True):
        assert_close(np.asarray(got), want)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_that_runnel_wrote_gives_tensorflows_results(name: str) -> None:
    function = trace(tf, name)
    message = function.graph.as_graph_def(add_shapes=True)
    inputs, outputs = ([t.name for t in side] for side in (function.inputs, function.outputs))
    for got, want in zip(run(message, inputs, outputs, INPUTS[name]), answers(name), strict=True):
        assert_close(np.asarray(got), want)


def test_names_are_put_under_a_scope() -> None:
    with tf.Graph().as_default() as graph:
        for _ in range(2):
            assert tf.graph_util.import_graph_def(parse(X)) is None
        tf.graph_util.import_graph_def(parse(X), name="")
        tf.graph_util.import_graph_def(parse(X), name="a/b")
    assert [op.name for op in graph.get_operations()] == ["import/x", "import_1/x", "x", "a/b/x"]


def test_an_input_can_be_replaced() -> None:
    with tf.Graph().as_default() as graph:
        (y,) = tf.graph_util.import_graph_def(
            parse(X + NEG), input_map={"x": 3.0}, return_elements=["y:0"]
        )
    assert Plan(graph, [], [y]).run([])[0] == -3.0


def test_nodes_may_come_in_any_order() -> None:
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(parse(NEG + X), name="")
    assert [op.name for op in graph.get_operations()] == ["x", "y"]


def test_attributes_that_are_not_known_are_ignored() -> None:
    extra = 'attr { key: "_own" value { i: 1 } } attr { key: "new" value { b: true } } }'
    with tf.Graph().as_default():
        (y,) = tf.graph_util.import_graph_def(parse(X + NEG[:-1] + extra), return_elements=["y:0"])
    assert y.op.type == "Neg"


def test_shapes_in_the_message_are_used() -> None:
    shape = "list { shape { dim { size: 2 } dim { size: -1 } } }"
    known = f'attr {{ key: "_output_shapes" value {{ {shape} }} }} }}'
    with tf.Graph().as_default():
        (x,) = tf.graph_util.import_graph_def(parse(X[:-1] + known), return_elements=["x:0"])
    assert x.shape.as_list() == [2, None]


def test_a_message_of_another_class_is_taken_too() -> None:
    class Foreign:
        DESCRIPTOR = messages.GraphDef.DESCRIPTOR

        def SerializeToString(self) -> bytes:
            return parse(X).SerializeToString()

    with tf.Graph().as_default():
        (x,) = tf.graph_util.import_graph_def(Foreign(), return_elements=["x"])
    assert x.name == "import/x"


CALL = (
    'node { name: "c" op: "StatefulPartitionedCall" input: "x"'
    ' attr { key: "f" value { func { name: "f" } } } }'
    ' library { function { signature { name: "f" input_arg { name: "a" type: DT_FLOAT }'
    ' output_arg { name: "r" type: DT_FLOAT } } node_def { name: "n" op: "OP" input: "a" }'
    ' ret { key: "r" value: "n:y:0" } } }'
)


def test_a_call_becomes_the_body_of_the_function() -> None:
    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(parse(X + CALL.replace("OP", "Neg")), name="")
    assert [op.name for op in graph.get_operations()] == ["x", "c/n"]


@pytest.mark.parametrize(
    ("message", "error", "match"),
    [
        ('node { name: "a" op: "Foo" }', tf.errors.NotFoundError, "'a'.*'Foo'.*does not have"),
        (X + CALL.replace("OP", "Foo"), tf.errors.NotFoundError, "function 'f'.*'n'.*'Foo'"),
        (X + CALL.replace("OP", "f"), NotImplementedError, "'f' calls itself"),
        (X + X, ValueError, "same name"),
        (NEG, ValueError, "'y'.*unknown input node 'x'"),
        (X + NEG.replace('"x"', '"x:1"'), ValueError, "none of number 1"),
        (X + NEG.replace('"x"', '"y"'), ValueError, "depends on itself"),
        (X + NEG.replace("type: DT_FLOAT", "i: 3").replace("Neg", "Cast"), ValueError, "DstT"),
        (X.replace("type: DT_FLOAT", "i: 3"), ValueError, "must be of kind DType"),
        (X + NEG.replace('input: "x"', 'input: "x" input: "x"'), ValueError, "1 inputs, got 2"),
        (
            X.replace("DT_FLOAT", "DT_STRING") + NEG,
            ValueError,
            "cannot be imported.*dtype|be one of",
        ),
    ],
)
def test_a_malformed_message_is_refused(message: str, error: Any, match: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=match):
        tf.graph_util.import_graph_def(parse(message))


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"graph_def": 3}, TypeError, "must be a GraphDef proto"),
        ({"input_map": [1]}, TypeError, "must be a dictionary"),
        ({"input_map": {"q": 1.0}}, ValueError, "not found in graph_def: .'q:0'"),
        ({"return_elements": [3]}, TypeError, "list of strings"),
        ({"return_elements": ["q"]}, ValueError, "'q' not found"),
        ({"return_elements": ["x:1"]}, ValueError, "no 'x:1'"),
    ],
)
def test_bad_arguments_are_refused(arguments: Any, error: Any, match: str) -> None:
    with tf.Graph().as_default(), pytest.raises(error, match=match):
        tf.graph_util.import_graph_def(**{"graph_def": parse(X), **arguments})


def nested_calls(depth: int, each: int) -> Any:
    """Functions that each call the next one, `each` times over."""
    message = parse(X + CALL.replace("OP", "f0").replace('name: "f"', 'name: "g"'))
    for level in range(depth):
        function = message.library.function.add()
        function.CopyFrom(message.library.function[0])
        function.signature.name = f"f{level}"
        del function.node_def[:]
        for i in range(each):
            last = level == depth - 1
            function.node_def.add(
                name="n" * (i + 1), op="Neg" if last else f"f{level + 1}"
            ).input.append("a")
    return message


@pytest.mark.parametrize(("depth", "each"), [(300, 1), (30, 4)])
def test_calls_that_would_fill_the_memory_are_refused(
    depth: int, each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "_MOST_OPERATIONS", 200)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="too deeply, or make too many"):
        tf.graph_util.import_graph_def(nested_calls(depth, each))


@pytest.mark.parametrize("name", ["branches", "shapes", "calls"])
def test_a_damaged_message_is_imported_or_refused(name: str) -> None:
    data = (FOLDER / f"{name}.pb").read_bytes()
    rng = np.random.default_rng(0)
    imported = 0
    for _ in range(100):
        damaged = bytearray(data)
        for place in rng.integers(len(data), size=3):
            damaged[place] = rng.integers(256)
        refusals = (DecodeError, ValueError, NotImplementedError, tf.errors.OpError)
        with tf.Graph().as_default(), suppress(*refusals):
            tf.graph_util.import_graph_def(messages.GraphDef.FromString(bytes(damaged)))
            imported += 1
    assert imported < 100


def test_the_handle_that_a_loop_hands_on_is_used_in_compiled_runs() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def run(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            v.assign_add([x, x, x])
        return x

    traced = run.get_concrete_function(tf.TensorSpec([]))
    graph_def = traced.graph.as_graph_def()
    loop = next(node for node in graph_def.node if node.op == "While")
    place = next(i for i, kind in enumerate(loop.attr["T"].list.type) if kind == 20)  # DT_RESOURCE
    added = graph_def.node.add(name="size", op="VariableShape", input=[f"{loop.name}:{place}"])
    added.attr["out_type"].type = 3  # DT_INT32

    @tf.function
    def again(x: tf.Tensor) -> tf.Tensor:
        given = {traced.inputs[0].name: x, loop.input[place]: v.handle}
        return tf.graph_util.import_graph_def(graph_def, given, return_elements=["size:0"])[0]

    for _ in range(4):
        assert again(tf.constant(1.0)).numpy().tolist() == [3]
