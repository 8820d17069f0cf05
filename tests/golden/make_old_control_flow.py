"""Writes TensorFlow's graphs of the programs in `old_control_flow.py`, and what they give."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import tensorflow as tf
import tf_keras
from tensorflow.python.framework import convert_to_constants

from tests.golden.old_control_flow import INPUTS, PROGRAMS

FOLDER = Path(__file__).parent / "old_control_flow"
answers: dict[str, dict[str, list[object]]] = {}


def write(name: str, graph_def: tf.compat.v1.GraphDef) -> None:
    (FOLDER / f"{name}.pb").write_bytes(graph_def.SerializeToString(deterministic=True))


def in_pieces(name: str) -> None:
    """The graph of a program as TensorFlow 1 made it."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        results = tf.nest.flatten(PROGRAMS[name](tf, x))
        named = [tf.identity(y, name=f"y{i}") for i, y in enumerate(results)]
        with tf.compat.v1.Session(graph=graph) as session:
            answers[name] = {
                key: [value.tolist() for value in session.run(named, {x: given})]
                for key, given in INPUTS.items()
            }
    write(name, graph.as_graph_def())


def frozen() -> None:
    """A recurrent network whose weights are constants, and whose loops are taken apart."""
    layers = [tf_keras.layers.GRU(2, return_sequences=True), tf_keras.layers.LSTM(2)]
    model = tf_keras.Sequential([tf_keras.layers.Input([4, 3]), *layers])
    rng = np.random.default_rng(0)
    model.set_weights([rng.normal(size=w.shape) for w in model.get_weights()])
    function = tf.function(lambda x: tf.identity(model(x), name="y0"))
    concrete = function.get_concrete_function(tf.TensorSpec([2, 4, 3], name="x"))
    made = convert_to_constants.convert_variables_to_constants_v2(concrete)
    given = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
    answers["frozen"] = {
        "positive": [made(tf.constant(given))[0].numpy().tolist()],
        "outputs": [made.outputs[0].name],
    }
    write("frozen", made.graph.as_graph_def())


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    tf.compat.v1.disable_control_flow_v2()
    for program in PROGRAMS:
        in_pieces(program)
    tf.compat.v1.enable_control_flow_v2()
    frozen()
    (FOLDER / "answers.json").write_text(json.dumps(answers, indent=1) + "\n")
