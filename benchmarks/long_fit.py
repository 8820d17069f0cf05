"""How `fit` behaves when it goes on: `python -m benchmarks.long_fit [runnel|tensorflow]`.

It prints when the first batch is done, counted from the start of the process; what a sample costs
when there are few and when there are many, which should be the same; and how much memory the
process has in the course of 200 epochs, which should not grow. Not part of `run.py`, which compares
single calls.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
RANDOM = np.random.default_rng(1)


def data(samples: int) -> tuple[np.ndarray, np.ndarray]:
    x = RANDOM.standard_normal((samples, 64), dtype=np.float32)
    return x, RANDOM.integers(0, 10, samples)


def model(keras: Any) -> Any:
    layers = keras.layers
    made = keras.Sequential(
        [keras.Input((64,)), layers.Dense(32, activation="relu"), layers.Dense(10)]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    made.compile("adam", loss, metrics=["accuracy"])
    return made


def since_start() -> float:
    """Seconds since the process was started."""
    ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    up = float(Path("/proc/uptime").read_text().split()[0])
    return up - ticks / os.sysconf("SC_CLK_TCK")


def memory() -> float:
    """Megabytes that the process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def first_batch(keras: Any) -> None:
    x, y = data(32)
    model(keras).fit(x, y, batch_size=32, verbose=0)
    print(f"first batch done after {since_start():.2f} s, {time.process_time():.2f} s of CPU")


def cost_of_a_sample(keras: Any) -> None:
    made = model(keras)
    for samples in (1_000, 10_000, 100_000):
        x, y = data(samples)
        epochs = 100_000 // samples
        made.fit(x, y, batch_size=32, epochs=1, verbose=0)
        start, cpu = time.perf_counter(), time.process_time()
        made.fit(x, y, batch_size=32, epochs=epochs, verbose=0)
        spent = [time.perf_counter() - start, time.process_time() - cpu]
        wall, cpu = (1e6 * seconds / (samples * epochs) for seconds in spent)
        print(f"{samples:7} samples: {wall:.2f} µs each, {cpu:.2f} µs of CPU")


def memory_of_epochs(keras: Any) -> None:
    x, y = data(1_000)

    class Watch(keras.callbacks.Callback):
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            if epoch in (0, 9, 49, 99, 149, 199):
                print(f"epoch {epoch + 1:3}: {memory():.1f} MB")

    held = {"validation_data": (x, y), "callbacks": [Watch()]}
    model(keras).fit(x, y, batch_size=32, epochs=200, verbose=0, **held)


if __name__ == "__main__":
    system = import_module(sys.argv[1] if len(sys.argv) > 1 else "runnel")
    first_batch(system.keras)
    cost_of_a_sample(system.keras)
    memory_of_epochs(system.keras)
