"""One system in a process of its own, timing what `run.py` asks for: `worker.py GROUP SYSTEM`.

It answers each line on its standard input with one line of JSON: `calibrate TITLE` with the number
of calls that fill a loop, `run TITLE N` with the seconds that a loop of N calls took,
`spent TITLE N` with these and the processors' seconds.
"""

import json
import os
import sys
from functools import lru_cache
from importlib import import_module
from time import perf_counter, process_time
from types import SimpleNamespace
from typing import Any

from benchmarks.jobs import JOBS, Call

LOOP_SECONDS = 0.05
SLOW_SECONDS = 0.3  # of a call that needs no calls before it to be timed
LONG_SECONDS = 0.002  # of a call beside whose first ones a system may still compile
WARM_SECONDS = 2.0


def load(system: str) -> Any:
    """The module of a system; Keras 3 is dressed as the module that jobs for Keras expect."""
    if not system.startswith("keras_"):
        return import_module(system)
    os.environ["KERAS_BACKEND"] = system.removeprefix("keras_")
    keras = import_module("keras")
    constant = keras.ops.convert_to_tensor
    return SimpleNamespace(keras=keras, constant=constant, __version__=keras.__version__)


@lru_cache(maxsize=1)
def prepared(title: str, system: str) -> Call:
    """The call to time. Only the last one is kept, so that its tensors do not pile up."""
    return JOBS[title][system](load(system))


def force(result: Any) -> None:
    """Wait for a result and read it, since a system may return before it has computed."""
    if result is None:
        return
    if isinstance(result, list | tuple):
        for part in result:
            force(part)
    elif hasattr(result, "block_until_ready"):
        result.block_until_ready()
    elif hasattr(result, "detach"):
        result.detach().numpy()
    elif hasattr(result, "numpy"):
        result.numpy()
    else:
        result.copy()  # NumPy: what `.numpy()` costs the others


def loop(call: Call, n: int) -> float:
    """Seconds that `n` calls take, the last result read."""
    start = perf_counter()
    for _ in range(n):
        result = call()
    force(result)
    return perf_counter() - start


_slow: set[str] = set()


def run(system: str, title: str, n: str) -> float:
    call = prepared(title, system)
    if title not in _slow:
        loop(call, int(n))  # wakes threads and fills the processor's caches again
    return loop(call, int(n))


def spent(system: str, title: str, n: str) -> tuple[float, float]:
    """What a loop takes on the wall, and of all processors."""
    call = prepared(title, system)
    loop(call, 1)
    start = process_time()
    seconds = loop(call, int(n))
    return seconds, process_time() - start


def calibrate(system: str, title: str) -> int:
    call = prepared(title, system)
    for _ in range(3):  # what is done once: tracing, compiling, filling caches
        loop(call, 1)
    start = perf_counter()
    if (seconds := loop(call, 1)) > SLOW_SECONDS:
        _slow.add(title)
        return 1
    while seconds > LONG_SECONDS and perf_counter() - start < WARM_SECONDS:
        seconds = loop(call, 1)
    n = 1
    while (seconds := loop(call, n)) < LOOP_SECONDS / 2:
        n *= 2
    return max(1, round(n * LOOP_SECONDS / seconds))


def answer(system: str, line: str) -> Any:
    command, title = line.split(maxsplit=1)
    if command == "calibrate":
        return calibrate(system, title)
    measured = spent if command == "spent" else run
    return measured(system, *title.rsplit(maxsplit=1))


def main() -> None:
    group, system = sys.argv[1:]
    import_module(f"benchmarks.{group}")
    serve(system)


def serve(system: str) -> None:
    """Answer requests about the jobs in the table, until there are no more."""
    replies, sys.stdout = sys.stdout, sys.stderr
    version = load(system).__version__
    titles = [title for title, systems in JOBS.items() if system in systems]
    print(json.dumps({"version": version, "titles": titles}), file=replies, flush=True)
    for line in sys.stdin:
        try:
            reply = {"answer": answer(system, line.strip())}
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies, flush=True)


if __name__ == "__main__":
    main()
