"""What each mechanism for speed is worth: its cases with it and without it, in turns.

    python -m benchmarks.mechanisms                        all of them
    python -m benchmarks.mechanisms unmade direct          some
    python -m benchmarks.mechanisms onednn --first

A mechanism stays in the library if its cases take a tenth less time with it, in the geometric mean,
and none of them a twentieth more. A figure is how many times as long a case takes without it. With
`--first`, it is the time until a new process has made a call three times, where an earlier process
has left its programs on the disk.
"""

import argparse
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks import networks, run, worker
from benchmarks.jobs import JOBS, Call, Prepare

OFF: dict[str, Callable[[], None]] = {}  # by mechanism: what switches it off in this process
CASES: dict[str, dict[str, Prepare]] = {}  # by mechanism: its cases by title


def mechanism(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def register(off: Callable[[], None]) -> Callable[[], None]:
        OFF[name] = off
        return off

    return register


def case(title: str, *mechanisms: str) -> Callable[[Prepare], Prepare]:
    def register(prepare: Prepare) -> Prepare:
        for name in mechanisms:
            CASES.setdefault(name, {})[title] = prepare
        return prepare

    return register


def normal(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape, dtype=np.float32)


# oneDNN, for convolutions in three dimensions.


@mechanism("onednn")
def no_onednn() -> None:
    from runnel.backend import onednn

    onednn.available = lambda: False


@case("convolution in three dimensions", "onednn")
def volumes(tf: ModuleType) -> Call:
    x, f = tf.Variable(normal(4, 16, 32, 32, 16)), tf.Variable(normal(3, 3, 3, 16, 16) / 20)
    return networks.trained(tf, lambda: tf.nn.conv3d(x, f, [1] * 5, "SAME"), [x, f])


@case("convolution of volumes, strides 2", "onednn")
def strided_volumes(tf: ModuleType) -> Call:
    x, f = tf.Variable(normal(8, 16, 16, 16, 32)), tf.Variable(normal(3, 3, 3, 32, 64) / 30)
    return networks.trained(tf, lambda: tf.nn.conv3d(x, f, [1, 2, 2, 2, 1], "SAME"), [x, f])


@case("3-D network of two layers", "onednn")
def solid_network(tf: ModuleType) -> Call:
    x = tf.constant(normal(4, 16, 32, 32, 1))
    kernels = [tf.Variable(normal(3, 3, 3, 1, 8) / 5), tf.Variable(normal(3, 3, 3, 8, 16) / 15)]

    def model(x: Any) -> Any:
        for kernel in kernels:
            x = tf.nn.relu(tf.nn.conv3d(x, kernel, [1] * 5, "SAME"))
            x = tf.nn.max_pool3d(x, 2, 2, "SAME")
        return x

    return networks.trained(tf, model, kernels, x)


# How it is measured.


class Side(run.Worker):
    """A process in which a mechanism is on or off."""

    def __init__(self, name: str, side: str) -> None:
        super().__init__(side, sys.executable, "benchmarks.mechanisms", "--child", name, side)


def child(name: str, side: str) -> None:
    """Switch the mechanism off, if so wanted, and time cases."""
    if side == "without":
        OFF[name]()
    JOBS.clear()
    JOBS.update({title: {"runnel": prepare} for title, prepare in CASES[name].items()})
    worker.serve("runnel")


def in_turns(name: str, match: str, rounds: int) -> None:
    """Print how many times as long each case takes without a mechanism."""
    sides = [Side(name, "with"), Side(name, "without")]
    ratios = []
    print(f"\n{name}")
    for title in CASES[name]:
        if match in title:
            figures = run.measure(sides, title, rounds)
            ratios.append(figures["without"]["median"] / figures["with"]["median"])
            least = figures["without"]["min"] / figures["with"]["min"]
            times = " ".join(
                run.human(figures[s]["median"], is_size=False).rjust(10) for s in figures
            )
            print(f"  {title:50} {times}  {ratios[-1]:6.2f} (least {least:.2f})", flush=True)
    for side in sides:
        side.close()
    if ratios:
        print(f"  {'geometric mean':50} {'':21}  {math.prod(ratios) ** (1 / len(ratios)):6.2f}")


def until_third_call(name: str, side: str, title: str) -> float:
    """Seconds that a new process needs for three calls of a case."""
    start = time.perf_counter()
    process = run.start(sys.executable, "benchmarks.mechanisms", "--third", name, side, title)
    process.communicate()
    return time.perf_counter() - start


def third(name: str, side: str, title: str) -> None:
    if side == "without":
        OFF[name]()
    call = CASES[name][title](worker.load("runnel"))
    for _ in range(3):
        worker.force(call())


def first(name: str, match: str, rounds: int) -> None:
    """Print how long new processes take until the third call, programs on the disk."""
    print(f"\n{name}: until the third call in a new process")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RUNNEL_CACHE_DIR"] = folder
        for title in CASES[name]:
            if match in title:
                times: dict[str, list[float]] = {"with": [], "without": []}
                for side in run.in_turns(list(times), 1 + rounds):
                    times[side].append(until_third_call(name, side, title))
                shown = " ".join(f"{min(times[side][1:]):8.2f} s" for side in times)
                print(f"  {title:50} {shown}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help=", ".join(OFF))
    parser.add_argument("--match", default="", help="only cases with this in their title")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--third", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(*options.child)
    if options.third:
        return third(*options.third)
    for name in options.names or OFF:
        (first if options.first else in_turns)(name, options.match, options.rounds)


if __name__ == "__main__":
    main()
