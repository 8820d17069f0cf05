"""How the cost of a function grows with its number of operations: `python -m benchmarks.growth`.

Each line should be ten times the one above, or less. Not part of `run.py`, which compares Runnel
with its peers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import runnel as tf


def timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def chain(x: Any, operations: int) -> Any:
    for _ in range(operations // 2):
        x = tf.nn.relu(x * 0.99)
    return x


def measure(operations: int) -> dict[str, float]:
    """Seconds to trace, plan, interpret, compile and run a chain, and its gradient."""
    x = tf.ones([4])
    fn = tf.function(lambda x: chain(x, operations), autograph=False)
    spent = {"trace": timed(lambda: fn.get_concrete_function(x))}
    concrete = fn.get_concrete_function(x)
    spent["plan"] = timed(lambda: concrete.plan)
    values = [x.numpy()]
    spent["interpret"] = timed(lambda: concrete.plan.program.interpret(values))
    spent["compile"] = timed(lambda: concrete.plan.run_compiled(values))
    spent["run"] = timed(lambda: concrete.plan.run_compiled(values))

    def gradient() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = concrete(x)
        tape.gradient(y, x)

    spent["trace gradient"] = timed(gradient)
    spent["compile gradient"] = sum(timed(gradient) for _ in range(2))
    spent["run gradient"] = timed(gradient)
    return spent


if __name__ == "__main__":
    measure(10)  # loads what is loaded late
    for size in (10, 100, 1000, 10_000):
        found = measure(size)
        print(f"{size:6}", *[f"{name} {seconds:.4f}" for name, seconds in found.items()], sep="  ")
