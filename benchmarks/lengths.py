"""Batches of which each has another length: `python -m benchmarks.lengths`.

100 batches of 100 lengths between 50 and 400 go through `fit`, then through `predict`, once in a
process of its own for each network; images of 30 sizes through a network without dense layers. With
`--tensorflow-python PATH` TensorFlow is asked in turns. Wall time / processor time in seconds, and
the most memory that the process had. `RUNNEL_LENGTHS_SHARE=5` takes every fifth batch.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.first_step import ROOT, TIMEOUT, Clock

RANDOM = np.random.default_rng(1)
SHARE = int(os.environ.get("RUNNEL_LENGTHS_SHARE", "1"))  # of the batches, one in so many
LENGTHS = RANDOM.permutation(np.linspace(50, 400, 100).astype(int))[::SHARE]
SIZES = RANDOM.permutation(np.arange(32, 92, 2))[::SHARE]
BATCH, WORDS = 16, 1000


def text(keras: Any, *body: Any) -> Any:
    layers = keras.layers
    first = [keras.Input((None,), dtype="int32"), layers.Embedding(WORDS, 32, mask_zero=True)]
    return keras.Sequential([*first, *body, layers.Dense(1, activation="sigmoid")])


def attention(keras: Any) -> Any:
    layers = keras.layers
    words = keras.Input((None,), dtype="int32")
    x = layers.Embedding(WORDS, 32)(words)
    for _ in range(2):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 16)(x, x))
        x = layers.LayerNormalization()(x + layers.Dense(32, activation="relu")(x))
    out = layers.Dense(1, activation="sigmoid")(layers.GlobalAveragePooling1D()(x))
    return keras.Model(words, out)


def convolutions(keras: Any) -> Any:
    layers = keras.layers
    words = keras.Input((None,), dtype="int32")
    x = layers.Embedding(WORDS, 32)(words)
    for _ in range(3):
        x = layers.Conv1D(64, 5, padding="same", activation="relu")(x)
    out = layers.Dense(1, activation="sigmoid")(layers.GlobalMaxPooling1D()(x))
    return keras.Model(words, out)


def images(keras: Any) -> Any:
    layers = keras.layers
    entry = x = keras.Input((None, None, 3))
    for filters in (16, 32, 32):
        x = layers.Conv2D(filters, 3, strides=2, padding="same", use_bias=False)(x)
        x = layers.ReLU()(layers.BatchNormalization()(x))
    out = layers.Dense(1, activation="sigmoid")(layers.GlobalAveragePooling2D()(x))
    return keras.Model(entry, out)


NETWORKS: dict[str, Callable[[Any], Any]] = {
    "masked LSTM": lambda keras: text(keras, keras.layers.Bidirectional(keras.layers.LSTM(32))),
    "masked GRU": lambda keras: text(keras, keras.layers.GRU(32)),
    "attention": attention,
    "Conv1D": convolutions,
    "images": images,
}


def batches(network: str) -> Iterator[tuple[Any, Any]]:
    for size in SIZES if network == "images" else LENGTHS:
        if network == "images":
            x: Any = RANDOM.standard_normal((BATCH, size, size, 3), dtype=np.float32)
        else:
            x = RANDOM.integers(1, WORDS, (BATCH, size), dtype=np.int32)
            x[:, size // 2 :] *= RANDOM.integers(0, 2, (BATCH, 1), dtype=np.int32)
        yield x, RANDOM.integers(0, 2, (BATCH, 1)).astype(np.float32)


def child(system: str, network: str) -> None:
    tf = import_module(system)
    model = NETWORKS[network](tf.keras)
    model.compile("adam", "binary_crossentropy")
    words = network != "images"
    spec = tf.TensorSpec(
        [None, None] if words else [None, None, None, 3], "int32" if words else "float32"
    )
    signature = (spec, tf.TensorSpec([None, 1]))
    data = tf.data.Dataset.from_generator(lambda: batches(network), output_signature=signature)
    clock = Clock()
    clock("fit", lambda: model.fit(data, verbose=0))
    clock("fit again", lambda: model.fit(data, verbose=0))
    clock("predict", lambda: model.predict(data.map(lambda x, y: x), verbose=0))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**clock.found, "MB": (most, most)}))


def ask(python: str, system: str, network: str, folder: str) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RUNNEL_CACHE_DIR": folder}
    environment |= {"TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [python, "-m", "benchmarks.lengths", "--child", system, network]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT
    )
    if done.returncode:
        raise RuntimeError(f"{system}, {network}:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensorflow-python", help="a Python with tensorflow and tf_keras")
    parser.add_argument("--match", default="", help="only networks with this in their name")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(*options.child)
    systems = {"runnel": sys.executable, "tensorflow": options.tensorflow_python}
    for network in NETWORKS:
        for system, python in systems.items():
            if options.match not in network or python is None:
                continue
            with tempfile.TemporaryDirectory() as folder:
                found = ask(python, system, network, folder)
            cells = [
                f"{key} {wall:.2f}/{cpu:.2f}" for key, (wall, cpu) in found.items() if key != "MB"
            ]
            print(
                f"{network:12} {system:11}",
                *cells,
                f"MB {found['MB'][0]:.0f}",
                sep="  ",
                flush=True,
            )


if __name__ == "__main__":
    main()
