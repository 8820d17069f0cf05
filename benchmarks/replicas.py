"""What replicas cost in one process, here and under TensorFlow's `MirroredStrategy`.

`python -m benchmarks.replicas --tensorflow-python PATH` runs both systems in turns, `--rounds`
times, each case in a process of its own: a perceptron and a small convolutional network on logical
CPUs, in a loop of one's own and by `fit`, on one device without a strategy and by
`OneDeviceStrategy`, on two and on four. It prints the processor time and the time of a step, and
the seconds of the first `fit` with an empty folder of compiled programs, the least of all rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.own_loops import least, own_loop

STEPS, ROUNDS = 12, 4
_DEADLINE = 280.0  # seconds for a case
CASES = {
    "MLP, 2 replicas": ("mlp", 2),
    "CNN, 2 replicas": ("cnn", 2),
    "MLP, 4 replicas": ("mlp", 4),
    "MLP, no strategy": ("mlp", 0),
    "MLP, OneDeviceStrategy": ("mlp", 1),
}


def case(system: str, network: str, replicas: int) -> None:
    """Prints what a step of one case costs, as JSON."""
    tf: Any = import_module(system)
    import numpy as np

    strategy = _strategy(tf, replicas)
    batch, shape = (128, (784,)) if network == "mlp" else (64, (28, 28, 1))
    random = np.random.default_rng(0)
    x = random.standard_normal((batch * STEPS, *shape), dtype=np.float32)
    y = random.integers(0, 10, batch * STEPS)
    losses = tf.keras.losses
    entropy = losses.SparseCategoricalCrossentropy
    with strategy.scope():
        model = tf.keras.Sequential(_layers(tf.keras.layers, network, shape))
        model.compile("adam", entropy(from_logits=True))

    def fit() -> None:
        model.fit(x, y, batch_size=batch, epochs=1, verbose=0, shuffle=False)

    used, begun = time.process_time(), time.perf_counter()
    fit()
    first = [time.process_time() - used, time.perf_counter() - begun]
    fit_costs = least(fit, ROUNDS, STEPS)
    loop = own_loop(tf, strategy, model, x, y, batch)
    loop()
    print("COST " + json.dumps([*least(loop, ROUNDS, STEPS), *fit_costs, *first]), flush=True)


def _strategy(tf: Any, replicas: int) -> Any:
    if replicas == 0:
        return tf.distribute.get_strategy()
    if replicas == 1:
        return tf.distribute.OneDeviceStrategy("CPU:0")
    cpu = tf.config.list_physical_devices("CPU")[0]
    parts = [tf.config.LogicalDeviceConfiguration()] * replicas
    tf.config.set_logical_device_configuration(cpu, parts)
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])


def _layers(layers: Any, network: str, shape: tuple[int, ...]) -> list[Any]:
    if network == "mlp":
        return [
            layers.Dense(512, activation="relu", input_shape=shape),
            layers.Dense(512, activation="relu"),
            layers.Dense(10),
        ]
    return [
        layers.Conv2D(16, 3, activation="relu", input_shape=shape),
        layers.MaxPooling2D(),
        layers.Conv2D(32, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(64, activation="relu"),
        layers.Dense(10),
    ]


def measured(python: str, system: str, name: str) -> list[float]:
    """What a case costs in a process of its own."""
    environment = {
        **os.environ,
        "TF_USE_LEGACY_KERAS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }
    command = [python, __file__, "--case", name, "--system", system]
    with tempfile.TemporaryDirectory() as folder:
        environment["RUNNEL_CACHE_DIR"] = folder
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_DEADLINE
        )
    lines = [line for line in done.stdout.splitlines() if line.startswith("COST ")]
    if not lines:
        raise SystemExit(f"{system} failed: {done.stderr[-2000:]}")
    found: list[float] = json.loads(lines[0][5:])
    return found


_COLUMNS = (
    "loop, CPU ms",
    "loop, ms",
    "fit, CPU ms",
    "fit, ms",
    "first fit, CPU s",
    "first fit, s",
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tensorflow-python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", choices=list(CASES), action="append", help="a case; all if none")
    parser.add_argument("--case", choices=list(CASES), help=argparse.SUPPRESS)
    parser.add_argument("--system", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.case:
        case(asked.system, *CASES[asked.case])
        return
    pythons = {"runnel": sys.executable, "tensorflow": asked.tensorflow_python}
    print("| a step |", " | ".join(_COLUMNS), "|")
    print("|---|" + "---:|" * len(_COLUMNS))
    for name in asked.only or CASES:
        best: dict[str, list[float]] = {}
        for _ in range(asked.rounds):
            for system, python in pythons.items():
                costs = measured(python, system, name)
                best[system] = [min(p) for p in zip(costs, best.get(system, costs))]
        for system, costs in best.items():
            print(f"| {name}, {system} |", " | ".join(f"{cost:.1f}" for cost in costs), "|")
        ratios = [a / b for a, b in zip(best["runnel"], best["tensorflow"])]
        print("| ratio |", " | ".join(f"{ratio:.2f}" for ratio in ratios), "|", flush=True)


if __name__ == "__main__":
    main()
