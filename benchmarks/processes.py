"""What a step costs in two processes that train together, here and in TensorFlow.

`python -m benchmarks.processes --tensorflow-python PATH` runs both systems in turns, `--rounds`
times: two processes on this machine's loopback, `MultiWorkerMirroredStrategy`, a perceptron of
0.67 million weights with Adam, 128 samples a step; once in a loop of one's own, once by `fit`. It
prints the processor time and the time of a step in each process, the least of all rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.own_loops import least, own_loop

WORKERS, BATCH, STEPS, ROUNDS = 2, 128, 40, 3
_DEADLINE = 280.0  # seconds for a pair of processes


def worker(system: str) -> None:
    """One of the processes: prints what a step costs, as JSON."""
    began = time.perf_counter()
    tf: Any = import_module(system)
    import numpy as np

    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    random = np.random.default_rng(0)
    x = random.standard_normal((BATCH * STEPS, 784), dtype=np.float32)
    y = random.integers(0, 10, BATCH * STEPS)
    with strategy.scope():
        layers = tf.keras.layers
        model = tf.keras.Sequential(
            [
                layers.Dense(512, activation="relu", input_shape=(784,)),
                layers.Dense(512, activation="relu"),
                layers.Dense(10),
            ]
        )
    loop = own_loop(tf, strategy, model, x, y, BATCH)
    loop()
    first = time.perf_counter() - began
    with strategy.scope():
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))

    def fit() -> None:
        model.fit(x, y, batch_size=BATCH, epochs=1, verbose=0, shuffle=False)

    begun = time.perf_counter()
    fit()
    first_fit = time.perf_counter() - begun
    loop_costs, fit_costs = least(loop, ROUNDS, STEPS), least(fit, ROUNDS, STEPS)
    print("COST " + json.dumps([*loop_costs, *fit_costs, first, first_fit]), flush=True)


def pair(python: str, system: str) -> list[float]:
    """What a step costs in two processes of a system, on average over them."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(WORKERS)]
    addresses = [f"127.0.0.1:{probe.getsockname()[1]}" for probe in probes]
    for probe in probes:
        probe.close()
    children = []
    for number in range(WORKERS):
        task = {"type": "worker", "index": number}
        environment = {
            **os.environ,
            "TF_CONFIG": json.dumps({"cluster": {"worker": addresses}, "task": task}),
            "TF_USE_LEGACY_KERAS": "1",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "PYTHONPATH": str(Path(__file__).parents[1]),
        }
        command = [python, __file__, "--worker", system]
        pipe = subprocess.PIPE
        children.append(
            subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)
        )
    found = []
    try:
        for child in children:
            said, errors = child.communicate(timeout=_DEADLINE)
            lines = [line for line in said.splitlines() if line.startswith("COST ")]
            if not lines:
                raise SystemExit(f"{system} failed: {errors[-2000:]}")
            found.append(json.loads(lines[0][5:]))
    finally:
        for child in children:
            child.kill()
    return [sum(values) / WORKERS for values in zip(*found)]


_COLUMNS = ("loop, CPU", "loop, time", "fit, CPU", "fit, time", "first loop, s", "first fit, s")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensorflow-python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.worker:
        worker(asked.worker)
        return
    pythons = {"runnel": sys.executable, "tensorflow": asked.tensorflow_python}
    best: dict[str, list[float]] = {}
    for _ in range(asked.rounds):
        for system, python in pythons.items():
            costs = pair(python, system)
            best[system] = [min(p) for p in zip(costs, best.get(system, costs))]
    print("| milliseconds of a step |", " | ".join(_COLUMNS), "|")
    print("|---|" + "---:|" * len(_COLUMNS))
    for system, costs in best.items():
        print(f"| {system} |", " | ".join(f"{cost:.1f}" for cost in costs), "|")
    ratios = [a / b for a, b in zip(best["runnel"], best["tensorflow"])]
    print("| ratio |", " | ".join(f"{ratio:.2f}" for ratio in ratios), "|")


if __name__ == "__main__":
    main()
