"""Has TensorFlow import the GraphDefs that Runnel writes, run them, and compare the results.

    python tests/golden/check_graph_def.py write FOLDER    with Runnel at hand
    python tests/golden/check_graph_def.py check FOLDER    with TensorFlow at hand

The first writes each program of `gradient_programs.py` as a graph and as a function, with the names
of its inputs and outputs and its results. The second writes the outcome to
`graph_defs/checked.json`, which `tests/graph/graphdef/test_export.py` reads.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent


def write(folder: Path) -> None:
    """Runnel's half."""
    sys.path.insert(0, str(HERE.parents[1]))
    import runnel as tf
    from runnel.core.protos import messages
    from runnel.graph.graphdef.export import Library
    from tests.golden.dataset_programs import INPUTS, PROGRAMS, trace

    for name in PROGRAMS:
        function = trace(tf, name)
        graph_def = function.graph.as_graph_def(add_shapes=True)
        (folder / f"{name}.pb").write_bytes(graph_def.SerializeToString())
        library = Library()
        called = library.name_of(function.graph, f"program_{name}")
        functions = messages.FunctionDefLibrary(function=library.functions)
        (folder / f"{name}.functions.pb").write_bytes(functions.SerializeToString())
        results = tf.nest.flatten(function(*[tf.constant(v) for v in INPUTS[name]]))
        answer = {
            "function": called,
            "inputs": [t.name for t in function.inputs],
            "outputs": [t.name for t in function.outputs],
            "dtypes": [t.dtype.enum for t in function.outputs],
            "results": [tf.io.serialize_tensor(t).numpy().hex() for t in results],
        }
        (folder / f"{name}.json").write_text(json.dumps(answer))


def check(folder: Path) -> None:
    """TensorFlow's half."""
    sys.path.insert(0, str(HERE.parents[1]))
    import tensorflow as tf

    from tests.golden.dataset_programs import INPUTS, PROGRAMS

    outcome = {}
    for name in PROGRAMS:
        answer = json.loads((folder / f"{name}.json").read_text())
        wanted = [
            np.asarray(tf.io.parse_tensor(bytes.fromhex(text), tf.as_dtype(dtype)))
            for text, dtype in zip(answer["results"], answer["dtypes"])
        ]
        values = [tf.constant(value) for value in INPUTS[name]]
        found = {"graph": _run_graph, "function": _run_function}
        outcome[name] = {
            way: _compared(run, tf, folder, name, answer, values, wanted)
            for way, run in found.items()
        }
        print(name, outcome[name])
    lines = [f'"{name}": {json.dumps(ways)}' for name, ways in outcome.items()]
    text = f'{{\n"TensorFlow": "{tf.__version__}",\n' + ",\n".join(lines) + "\n}\n"
    (HERE / "graph_defs" / "checked.json").write_text(text)


def _run_graph(tf: Any, folder: Path, name: str, answer: Any, values: Any) -> list[Any]:
    graph_def = tf.compat.v1.GraphDef.FromString((folder / f"{name}.pb").read_bytes())

    def imported() -> None:
        tf.graph_util.import_graph_def(graph_def, name="")

    graph = tf.compat.v1.wrap_function(imported, [])
    feeds, fetches = (
        [graph.graph.get_tensor_by_name(n) for n in answer[side]] for side in ("inputs", "outputs")
    )
    return list(graph.prune(feeds, fetches)(*values))


def _run_function(tf: Any, folder: Path, name: str, answer: Any, values: Any) -> list[Any]:
    """Call the function in a graph that holds its library."""
    from tensorflow.core.framework import function_pb2

    data = (folder / f"{name}.functions.pb").read_bytes()
    library = function_pb2.FunctionDefLibrary.FromString(data)
    graph_def = tf.compat.v1.GraphDef(library=library)
    graph_def.versions.producer = tf.version.GRAPH_DEF_VERSION
    call = graph_def.node.add(name="call", op="StatefulPartitionedCall")
    for i, value in enumerate(values):
        node = graph_def.node.add(name=f"input_{i}", op="Placeholder")
        node.attr["dtype"].type = value.dtype.as_datatype_enum
        call.input.append(f"input_{i}")
        call.attr["Tin"].list.type.append(value.dtype.as_datatype_enum)
    call.attr["Tout"].list.type.extend(answer["dtypes"])
    call.attr["f"].func.name = answer["function"]
    graph = tf.compat.v1.wrap_function(
        lambda: tf.graph_util.import_graph_def(graph_def, name=""), []
    )
    feeds = [graph.graph.get_tensor_by_name(f"input_{i}:0") for i in range(len(values))]
    fetches = list(graph.graph.get_operation_by_name("call").outputs)
    return list(graph.prune(feeds, fetches)(*values))


def _compared(
    run: Any, tf: Any, folder: Path, name: str, answer: Any, values: Any, wanted: Any
) -> str:
    try:
        results = [np.asarray(t) for t in run(tf, folder, name, answer, values)]
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:300]}"
    for got, want in zip(results, wanted):
        if got.dtype != want.dtype or got.shape != want.shape:
            return f"{got.dtype}{got.shape} in place of {want.dtype}{want.shape}"
        if want.dtype == object or want.dtype.kind in "biu":
            same = np.array_equal(got, want)
        else:
            wide = np.complex128 if want.dtype.kind == "c" else np.float64
            same = np.allclose(got.astype(wide), want.astype(wide), rtol=2e-5, atol=2e-5)
        if not same:
            return f"{got} in place of {want}"
    return "same"


if __name__ == "__main__":
    half, where = sys.argv[1:]
    Path(where).mkdir(parents=True, exist_ok=True)
    {"write": write, "check": check}[half](Path(where))
