"""Graphs with loops and branches in pieces, which TensorFlow wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.protos import messages
from tests.golden.old_control_flow import INPUTS, PROGRAMS

FOLDER = Path(__file__).parents[2] / "golden" / "old_control_flow"
FINE = (ValueError, NotImplementedError)
ANSWERS = json.loads((FOLDER / "answers.json").read_text())


def _imported(name: str, outputs: list[str]) -> Any:
    graph_def = messages.GraphDef.FromString((FOLDER / f"{name}.pb").read_bytes())

    @tf.function(autograph=False)
    def run(x: Any) -> Any:
        found = tf.graph_util.import_graph_def(
            graph_def, input_map={"x:0": x}, return_elements=outputs
        )
        return [tf.identity(y) for y in found]

    return run


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_in_pieces_gives_what_it_gives_in_tensorflow(name: str) -> None:
    count = len(ANSWERS[name]["positive"])
    run = _imported(name, [f"y{i}:0" for i in range(count)])
    for key, given in INPUTS.items():
        for got, want in zip(run(tf.constant(given)), ANSWERS[name][key], strict=True):
            np.testing.assert_allclose(got.numpy(), want, rtol=1e-6)


def test_a_frozen_recurrent_network_gives_what_it_gives_in_tensorflow() -> None:
    given = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
    (got,) = _imported("frozen", ANSWERS["frozen"]["outputs"])(tf.constant(given))
    np.testing.assert_allclose(got.numpy(), ANSWERS["frozen"]["positive"][0], rtol=1e-5)


def test_the_message_stays_as_it_is() -> None:
    data = (FOLDER / "nested.pb").read_bytes()
    graph_def = messages.GraphDef.FromString(data)
    with tf.Graph().as_default():
        tf.graph_util.import_graph_def(graph_def)
    assert graph_def == messages.GraphDef.FromString(data)


@pytest.mark.parametrize("op", ["Switch", "NextIteration", "LoopCond", "Merge"])
def test_a_loop_without_an_input_is_refused(op: str) -> None:
    graph_def = messages.GraphDef.FromString((FOLDER / "loop.pb").read_bytes())
    del next(node for node in graph_def.node if node.op == op).input[:]
    with tf.Graph().as_default(), pytest.raises(FINE, match=r"loop|branches"):
        tf.graph_util.import_graph_def(graph_def)


def test_a_loop_in_pieces_has_a_gradient() -> None:
    x = tf.constant([1.0, 2.0])
    run = _imported("loop", ["y1:0"])
    with tf.GradientTape() as tape:
        tape.watch(x)
        (y,) = run(x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), [3.0**5] * 2)


def test_a_branch_that_is_never_joined_and_does_something_is_refused() -> None:
    graph_def = messages.GraphDef.FromString((FOLDER / "branches.pb").read_bytes())
    switch = next(node for node in graph_def.node if node.op == "Switch")
    said = graph_def.node.add(name="said", op="PrintV2", input=[switch.name])
    said.attr["output_stream"].s = b"stderr"
    with tf.Graph().as_default(), pytest.raises(NotImplementedError, match=r"'said'.*never left"):
        tf.graph_util.import_graph_def(graph_def)
