"""Has TensorFlow load the models and checkpoints that Runnel writes, and compare the results.

    python tests/golden/check_saved_models.py write FOLDER    with Runnel at hand
    python tests/golden/check_saved_models.py check FOLDER    with TensorFlow at hand

The first writes each model of `saved_model_programs.py`, and one that was loaded and saved again.
The second loads them as TensorFlow 2 does and as its sessions do, compares with the answers that
TensorFlow recorded, and writes the outcome to `saved_models/loaded_by_tensorflow.json`, which
`tests/saved_model/writing/test_save.py` reads.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
AGAIN = "_again"


def write(folder: Path) -> None:
    """Runnel's half."""
    import runnel as tf
    from tests.golden.saved_model_programs import PROGRAMS, values

    for name, make in PROGRAMS.items():
        model, _, signatures = make(tf)
        tf.saved_model.save(model, folder / name, signatures=signatures)
        loaded = tf.saved_model.load(folder / name)
        tf.saved_model.save(loaded, folder / f"{name}{AGAIN}")
    module = tf.Module()
    module.parts = [tf.Variable(values(3, 2)), {"a": tf.Variable([b"x", b""])}]
    tf.train.Checkpoint(module=module, step=tf.Variable(3, dtype=tf.int64)).save(folder / "ckpt")


def check(folder: Path) -> None:
    """TensorFlow's half."""
    import tensorflow as tf

    from tests.golden import saved_model_answers as answers
    from tests.golden.saved_model_programs import PROGRAMS

    outcome = {}
    for name, make in PROGRAMS.items():
        calls = make(tf).calls
        with tempfile.TemporaryDirectory() as unpacked:
            wanted = [
                answers.decode(entry["result"]) for entry in answers.unpack(name, Path(unpacked))
            ]
        for label in (name, f"{name}{AGAIN}"):
            loaded = tf.saved_model.load(folder / label)
            found = [answers.called(tf, loaded, call) for call in calls]
            outcome[label] = "ok" if _same(found, wanted) else "differs"
        outcome[f"{name} in a session"] = _session(tf, folder / name, calls, wanted)
    outcome["custom gradient"] = _gradient(tf, folder)
    outcome["checkpoint"] = _checkpoint(tf, folder)
    result = {"tensorflow": tf.__version__, "models": outcome}
    text = json.dumps(result, indent=1, sort_keys=True) + "\n"
    (answers.FOLDER / "loaded_by_tensorflow.json").write_text(text)
    print(text)


def _same(found: Any, wanted: Any) -> bool:
    for ours, theirs in zip(found, wanted, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            if b.dtype == object:
                same = np.array_equal(a, b)
            else:
                same = np.asarray(a).dtype == b.dtype and np.allclose(a, b, 1e-4, 1e-5)
            if not same:
                return False
    return True


def _session(tf: Any, folder: Path, calls: Any, wanted: Any) -> str:
    """Load as TensorFlow 1 does, run the signatures, save and restore through the graph."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        meta_graph = tf.compat.v1.saved_model.load(session, ["serve"], str(folder))
        found, answers = [], []
        for call, answer in zip(calls, wanted, strict=True):
            if call.signature:
                signature = meta_graph.signature_def[call.function]
                fed = {signature.inputs[k].name: v for k, v in call.kwargs.items()}
                outputs = [info for _, info in sorted(signature.outputs.items())]
                found.append(session.run([n for info in outputs for n in _names(info)], fed))
                answers.append(answer)
        saver = tf.compat.v1.train.Saver(saver_def=meta_graph.saver_def, allow_empty=True)
        saver.restore(session, saver.save(session, str(folder / "session")))
        return "ok" if _same(found, answers) else "differs"


def _names(info: Any) -> list[str]:
    """The tensors that an output consists of."""
    if info.WhichOneof("encoding") == "coo_sparse":
        sparse = info.coo_sparse
        parts = (sparse.indices_tensor_name, sparse.values_tensor_name)
        return [*parts, sparse.dense_shape_tensor_name]
    return [info.name] if info.name else [part.name for part in info.composite_tensor.components]


def _gradient(tf: Any, folder: Path) -> str:
    from tests.golden.saved_model_programs import SLOPES, slopes_of_parts

    model = tf.saved_model.load(folder / "custom_gradient")
    x = tf.constant([0.1, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = model.run(x)
    same = np.allclose(tape.gradient(y, x), [0.2, 3.0])
    for label in ("gradients_in_parts", f"gradients_in_parts{AGAIN}"):
        same &= slopes_of_parts(tf, tf.saved_model.load(folder / label)) == SLOPES
    return "ok" if same else "differs"


def _checkpoint(tf: Any, folder: Path) -> str:
    from tests.golden.saved_model_programs import values

    module, step = tf.Module(), tf.Variable(0, dtype=tf.int64)
    module.parts = [tf.Variable(tf.zeros([3, 2])), {"a": tf.Variable([b"", b""])}]
    path = tf.train.latest_checkpoint(folder)
    tf.train.Checkpoint(module=module, step=step).restore(path).assert_consumed()
    same = np.allclose(module.parts[0], values(3, 2)) and step.numpy() == 3
    return "ok" if same and module.parts[1]["a"].numpy().tolist() == [b"x", b""] else "differs"


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](Path(sys.argv[2]))
