"""The table of benchmarks. A benchmark is a function from a module to the call that is timed:

    @benchmark("add of 8 floats")
    def add_small(tf):
        a = tf.ones([8])
        return lambda: a + a

It runs on Runnel and on TensorFlow, which is what `tf` is in turn. The same job written for another
system has the same title, as in `@benchmark("1M floats: add", "numpy")`.
"""

import atexit
import shutil
import tempfile
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

Call = Callable[[], Any]
Prepare = Callable[[ModuleType], Call]

JOBS: dict[str, dict[str, Prepare]] = {}  # title -> system -> what prepares the call


def benchmark(title: str, *systems: str) -> Callable[[Prepare], Prepare]:
    def register(prepare: Prepare) -> Prepare:
        for system in systems or ("runnel", "tensorflow"):
            JOBS.setdefault(title, {})[system] = prepare
        return prepare

    return register


def folder() -> Path:
    made = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def drained(dataset: Any) -> Call:
    """A call that goes through a dataset once, and returns the last element."""

    return lambda: deque(dataset, maxlen=1)[0]
