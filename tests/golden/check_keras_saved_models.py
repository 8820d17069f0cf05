"""Has TensorFlow and tf_keras load the folders and files that Runnel writes, and compare results.

    python tests/golden/check_keras_saved_models.py write FOLDER    with Runnel at hand
    python tests/golden/check_keras_saved_models.py check FOLDER    with TensorFlow at hand

The first trains the models of `keras_models.py` a little and writes them in five ways, with what
they predict. The second loads them, compares, and writes the outcome to
`keras_files/folders_loaded_by_tensorflow.json`, which `tests/keras/test_saved_model.py` reads.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))
FILES = ("model.keras", "model.h5")
OUTCOME = HERE / "keras_files" / "folders_loaded_by_tensorflow.json"


def write(folder: Path) -> None:
    """Runnel's half."""
    import runnel as tf
    from tests.golden.keras_models import (
        INPUTS,
        MODELS,
        SENTENCES,
        fitted,
        of_own_layers,
        of_words,
    )

    model = of_words(tf)
    model.save(folder / "words", save_format="tf")
    np.save(folder / "words.npy", model.predict(tf.constant(SENTENCES), verbose=0))
    for name, model in of_own_layers(tf).items():
        model.save(folder / name, save_format="tf")
    for name, make in MODELS.items():
        model = fitted(tf, make(tf), name)
        os.makedirs(folder / name)
        tf.saved_model.save(model, folder / name / "saved")
        model.save(folder / name / "keras", save_format="tf")
        model.export(folder / name / "exported")
        for file in FILES:
            model.save(folder / name / file)
        answers = {"predicted": model.predict(INPUTS[name], verbose=0)}
        answers["losses"] = np.array([float(loss) for loss in model.losses])
        np.savez(folder / name / "answers.npz", **answers)


def check(folder: Path) -> None:
    """TensorFlow's half."""
    import tensorflow as tf

    from tests.golden.keras_models import INPUTS, LABELS, MODELS, OWN_INPUT, OWN_OUTPUTS, SENTENCES

    model = tf.keras.models.load_model(folder / "words")
    predicted = model.predict(tf.constant(SENTENCES), verbose=0)
    outcome = {"words in tf_keras": _outcome([_close(predicted, np.load(folder / "words.npy"))])}
    x = tf.constant(OWN_INPUT)
    for name, (used, trained) in OWN_OUTPUTS.items():
        model = tf.keras.models.load_model(folder / name)
        model.compile("sgd", "mse")
        checks = [_close(model(x), used), _close(model(x, training=True), trained)]
        checks.append(np.isfinite(model.fit(x, tf.constant(used), verbose=0).history["loss"][0]))
        outcome[f"{name} in tf_keras"] = _outcome(checks)
    for name in MODELS:
        answers = np.load(folder / name / "answers.npz")
        x = tf.nest.map_structure(lambda value: tf.cast(value, tf.float32), INPUTS[name])
        for kind in ("saved", "keras"):
            loaded = tf.saved_model.load(folder / name / kind)
            outcome[f"{name} {kind}"] = _outcome(_function(tf, loaded, x, answers))
        exported = tf.saved_model.load(folder / name / "exported")
        outcome[f"{name} exported"] = _outcome([_close(exported.serve(x), answers["predicted"])])
        for file in ("keras", *FILES):
            model = tf.keras.models.load_model(folder / name / file)
            steps = int(model.optimizer.iterations)
            before = 0 if file == "keras" else 4  # tf_keras takes no optimizer's state from folders
            outcome[f"{name} {file} in tf_keras"] = _outcome(
                [
                    _close(model.predict(INPUTS[name], verbose=0), answers["predicted"]),
                    len(model.losses) == len(answers["losses"]),
                    _close(model.losses, answers["losses"]),
                    np.isfinite(model.fit(INPUTS[name], LABELS, verbose=0).history["loss"][0]),
                    (steps, int(model.optimizer.iterations)) == (before, before + 1),
                ]
            )
    text = json.dumps({"tensorflow": tf.__version__, "models": outcome}, indent=1) + "\n"
    OUTCOME.write_text(text)
    print(text)


def _function(tf: Any, loaded: Any, x: Any, answers: Any) -> list[bool]:
    """Whether a loaded model computes what it should, and has gradients."""
    served = loaded.signatures["serving_default"]
    names = list(served.structured_input_signature[1])
    by_name = served(**(x if isinstance(x, dict) else {names[0]: x}))
    checks = [_close(loaded(x), answers["predicted"])]
    checks += [_close(output, answers["predicted"]) for output in by_name.values()]
    losses = [loss() for loss in loaded.regularization_losses]
    checks.append(len(losses) == len(answers["losses"]) and _close(losses, answers["losses"]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(loaded(x, training=True) ** 2)
    gradients = tape.gradient(y, loaded.trainable_variables)
    return [*checks, all(g is not None for g in gradients)]


def _close(found: Any, wanted: Any) -> bool:
    return np.allclose(np.asarray(found), wanted, rtol=1e-4, atol=1e-6)


def _outcome(checks: list[Any]) -> str:
    return "ok" if all(checks) else f"differs: {checks}"


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](Path(sys.argv[2]))
