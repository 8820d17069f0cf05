"""Functions of `tf.compat.v1` with parameters of their own give TensorFlow's answers."""

import json
from pathlib import Path

import runnel as tf
from tests.golden.cases import answer, assert_same
from tests.golden.v1_calls import CALLS, text, values
from tests.tables import table

WANTED = json.loads((Path(__file__).parents[1] / "golden/v1_calls.json").read_text())


def in_graph(call):
    with tf.Graph().as_default():
        return values(tf.compat.v1, call)


@table("call", CALLS.strip().split("\n"))
def test_a_call_returns_what_it_does_in_tensorflow(call):
    want = WANTED[call]
    got = json.loads(text(answer(lambda _: in_graph(call), tf)))
    if "error" in want:
        assert got.get("error") == want["error"], (want, got)
        return
    assert "error" not in got, got
    assert_same(got["result"], want["result"], "result")
