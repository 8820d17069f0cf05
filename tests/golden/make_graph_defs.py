"""Writes TensorFlow's GraphDefs of the programs, and what they give, to `graph_defs/`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import tensorflow as tf

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.golden.dataset_programs import INPUTS, PROGRAMS, trace

FOLDER = Path(__file__).parent / "graph_defs"

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    answers = {}
    for name in PROGRAMS:
        function = trace(tf, name)
        graph_def = function.graph.as_graph_def(add_shapes=name != "dense")
        (FOLDER / f"{name}.pb").write_bytes(graph_def.SerializeToString(deterministic=True))
        results = tf.nest.flatten(function(*[tf.constant(v) for v in INPUTS[name]]))
        answers[name] = {
            "inputs": [t.name for t in function.inputs],
            "outputs": [t.name for t in function.outputs],
            "results": [tf.io.serialize_tensor(t).numpy().hex() for t in results],
        }
    lines = [f'"{name}": {json.dumps(answer)}' for name, answer in answers.items()]
    (FOLDER / "answers.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
