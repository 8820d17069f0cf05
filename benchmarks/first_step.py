"""How long the first steps of networks take: `python -m benchmarks.first_step`.

Each figure comes from a process of its own. Runnel is asked *cold*, with an empty folder for
compiled programs, and *again*, with what that process left there; with `--tensorflow-python PATH`
TensorFlow is asked in turns with it. Seconds are wall time / processor time, for the first three
training steps, then for the first `predict` and the first `evaluate` of another process; last, the
time of a step when everything is warm and the most memory that the process had. Before that, Runnel
compiles well what ran in first versions (`settled`).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
RANDOM = np.random.default_rng(1)
TIMEOUT = 600  # seconds for one process


def images(size: int, batch: int, classes: int) -> tuple[Any, Any]:
    x = RANDOM.standard_normal((batch, size, size, 3), dtype=np.float32)
    return x, RANDOM.integers(0, classes, batch)


def application(name: str, size: int, batch: int = 16) -> Callable[[Any], Any]:
    def make(keras: Any) -> Any:
        made = getattr(keras.applications, name)(
            weights=None, input_shape=(size, size, 3), classes=10
        )
        return made, "sparse_categorical_crossentropy", images(size, batch, 10)

    return make


def transformer(keras: Any) -> Any:
    layers = keras.layers
    tokens = keras.Input((64,), dtype="int32")
    x = layers.Embedding(2000, 128)(tokens)
    for _ in range(4):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 32)(x, x))
        hidden = layers.Dropout(0.1)(layers.Dense(512, activation="gelu")(x))
        x = layers.LayerNormalization()(x + layers.Dense(128)(hidden))
    out = layers.Dense(10, activation="softmax")(layers.GlobalAveragePooling1D()(x))
    data = RANDOM.integers(0, 2000, (32, 64), dtype=np.int32), RANDOM.integers(0, 10, 32)
    return keras.Model(tokens, out), "sparse_categorical_crossentropy", data


def u_net(keras: Any) -> Any:
    layers = keras.layers

    def double(x: Any, filters: int) -> Any:
        for _ in range(2):
            x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
            x = layers.ReLU()(layers.BatchNormalization()(x))
        return x

    entry = x = keras.Input((64, 64, 3))
    skips = []
    for filters in (16, 32, 64):
        x = double(x, filters)
        skips.append(x)
        x = layers.MaxPooling2D()(x)
    x = double(x, 128)
    for filters in (64, 32, 16):
        x = layers.Conv2DTranspose(filters, 2, strides=2)(x)
        x = double(layers.Concatenate()([x, skips.pop()]), filters)
    out = layers.Conv2D(1, 1, activation="sigmoid")(x)
    x = RANDOM.standard_normal((8, 64, 64, 3), dtype=np.float32)
    return keras.Model(entry, out), "binary_crossentropy", (x, (x[..., :1] > 0).astype(np.float32))


def lstm(keras: Any) -> Any:
    layers = keras.layers
    made = keras.Sequential(
        [
            keras.Input((60,), dtype="int32"),
            layers.Embedding(2000, 64, mask_zero=True),
            layers.Bidirectional(layers.LSTM(64, return_sequences=True)),
            layers.LSTM(64),
            layers.Dense(10, activation="softmax"),
        ]
    )
    data = RANDOM.integers(0, 2000, (32, 60), dtype=np.int32), RANDOM.integers(0, 10, 32)
    return made, "sparse_categorical_crossentropy", data


NETWORKS: dict[str, Callable[[Any], Any]] = {
    "MobileNetV2 96x96": application("MobileNetV2", 96),
    "ResNet50 64x64": application("ResNet50", 64),
    "EfficientNetB0 96x96": application("EfficientNetB0", 96),
    "transformer of 4 blocks": transformer,
    "U-Net 64x64": u_net,
    "two LSTM layers, masked": lstm,
}


class Clock:
    """Pairs of seconds, wall and processor, for calls."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[float, float]] = {}

    def __call__(self, name: str, work: Callable[[], Any]) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        self.found[name] = (time.perf_counter() - wall, time.process_time() - cpu)


def settle(system: str, clock: Clock) -> None:
    """Wait for what is compiled in the background."""
    if system == "runnel":
        clock("settled", import_module("runnel.backend.meanwhile.background").wait)


def child(system: str, network: str, work: str) -> None:
    """Do `work` with a network, and print what it took."""
    tf = import_module(system)
    model, loss, (x, y) = NETWORKS[network](tf.keras)
    clock = Clock()
    if work == "train":
        model.compile("adam", loss, metrics=["accuracy"])
        for number in (1, 2, 3):
            clock(f"step {number}", lambda: model.train_on_batch(x, y))
        for _ in range(7):
            model.train_on_batch(x, y)
        settle(system, clock)
        clock("warm", lambda: [model.train_on_batch(x, y) for _ in range(8)])
        clock.found["warm"] = tuple(s / 8 for s in clock.found["warm"])  # type: ignore[assignment]
    else:
        model.compile("adam", loss, metrics=["accuracy"])
        size = len(x)
        clock("predict", lambda: model.predict(x, batch_size=size, verbose=0))
        clock("evaluate", lambda: model.evaluate(x, y, batch_size=size, verbose=0))
        for _ in range(5):
            model.predict(x, batch_size=size, verbose=0)
        settle(system, clock)
        clock("warm", lambda: [model.predict(x, batch_size=size, verbose=0) for _ in range(8)])
        clock.found["warm"] = tuple(s / 8 for s in clock.found["warm"])  # type: ignore[assignment]
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**clock.found, "MB": (most, most)}))


def ask(python: str, system: str, network: str, work: str, folder: str) -> dict[str, Any]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "RUNNEL_CACHE_DIR": folder,
        "TF_USE_LEGACY_KERAS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "",
    }
    command = [python, "-m", "benchmarks.first_step", "--child", system, network, work]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT
    )
    if done.returncode:
        raise RuntimeError(f"{system}, {network}, {work}:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(network: str, options: argparse.Namespace) -> None:
    for work in options.work.split(","):
        found: dict[str, list[dict[str, Any]]] = {}
        for _ in range(options.rounds):
            with tempfile.TemporaryDirectory() as folder:
                for name in ("cold", "again"):
                    answer = ask(sys.executable, "runnel", network, work, folder)
                    found.setdefault(name, []).append(answer)
            if options.tensorflow_python:
                answer = ask(options.tensorflow_python, "tensorflow", network, work, "off")
                found.setdefault("TensorFlow", []).append(answer)
        for name, answers in found.items():
            cells = []
            for key in answers[0]:
                wall, cpu = (statistics.median(a[key][i] for a in answers) for i in (0, 1))
                cells.append(f"{key} {wall:.0f}" if key == "MB" else f"{key} {wall:.2f}/{cpu:.2f}")
            print(f"{network:24} {name:10}", *cells, sep="  ", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensorflow-python", help="a Python with tensorflow and tf_keras")
    parser.add_argument("--match", default="", help="only networks with this in their name")
    parser.add_argument("--work", default="train,predict")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(*options.child)
    for network in NETWORKS:
        if options.match in network:
            measure(network, options)


if __name__ == "__main__":
    main()
