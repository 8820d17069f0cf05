"""Use an installed Runnel as a new user would: train, save, load, ask for its version.

`python -P tools/try_install.py`, from another folder than the sources, which must not be found.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import runnel as tf


def main() -> None:
    place = Path(tf.__file__).parent
    assert "site-packages" in place.parts, f"{place} is not an installed package"
    assert (place / "py.typed").exists()
    x = np.random.default_rng(0).normal(size=(64, 3)).astype("float32")
    y = x.sum(axis=1, keepdims=True)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    model.compile("adam", "mse")
    losses = model.fit(x, y, epochs=3, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model.keras")
        model.export(f"{folder}/served")
        again = tf.keras.models.load_model(f"{folder}/model.keras")
        served = tf.saved_model.load(f"{folder}/served").serve(x)
    np.testing.assert_array_equal(again.predict(x, verbose=0), model.predict(x, verbose=0))
    np.testing.assert_allclose(served, model(x), rtol=1e-5)
    told = _said("-m", "runnel", "--version")
    assert f"Runnel {importlib.metadata.version('runnel')}" in told
    assert "usage" in _said("-m", "runnel", "--help")
    print(told)


def _said(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


if __name__ == "__main__":
    main()
