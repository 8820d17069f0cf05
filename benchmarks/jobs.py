"""The table of benchmarks. A benchmark is a function from a module to the call that is timed:

    @benchmark("add of 8 floats")
    def add_small(tf):
        a = tf.ones([8])
        return lambda: a + a

It runs on Runnel and on TensorFlow, which is what `tf` is in turn. The same job written for another
system has the same title, as in `@benchmark("1M floats: add", "numpy")`.
"""

from collections.abc import Callable
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
