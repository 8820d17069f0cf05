"""The link between two processes that train together is cut: both soon say who has gone.

Each process has a network namespace of its own, joined by a pair of virtual devices, of which one
goes down. Where such cannot be made (they need Linux, `ip` and its rights), nothing is tried.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

from tests.robustness.outcome import Outcome

NAME = "links"
HEARTBEAT, SPARE = 5.0, 2.0  # seconds of silence after which a process is gone; that it may take
_DEADLINE = 60.0
_SPACES = ("runnel-a", "runnel-b")
_ROOT = Path(__file__).parents[2]

_PROGRAM = """
import sys, time
import runnel as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()

@tf.function
def step():
    return strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("SUM", tf.ones([9])))

try:
    for number in range(10**9):
        step()
        if number == int(sys.argv[1]):
            print("READY", flush=True)
except tf.errors.UnavailableError as error:
    print("CAUGHT", time.time(), error, flush=True)
"""


def trial(tries: int, minutes: float, seed: int) -> Outcome:
    began, chance, outcome = time.monotonic(), random.Random(seed), Outcome(NAME, 0, 0.0)
    slowest = 0.0
    try:
        for number in range(tries):
            if time.monotonic() - began > 60 * minutes:
                break
            _join()
            side, steps = chance.randrange(2), chance.randrange(200)
            found, seconds = cut(side, steps)
            slowest = max(slowest, seconds)
            outcome.tries += 1
            outcome.findings += [f"try {number}, side {side}, step {steps}: {f}" for f in found]
        outcome.notes = f"both knew after at most {slowest:.1f} s"
    except (OSError, subprocess.CalledProcessError):
        outcome.notes = "there are no network namespaces here"
    _part()
    outcome.seconds = time.monotonic() - began
    return outcome


def cut(side: int, steps: int) -> tuple[list[str], float]:
    """What is wrong after one side went down, and when the last process knew."""
    workers = [_start(number, steps) for number in range(2)]
    try:
        for worker in workers:
            assert worker.stdout is not None
            while not worker.stdout.readline().startswith("READY"):
                if worker.poll() is not None:
                    return [f"a worker ended with {worker.returncode} at the start"], 0.0
        began = time.time()
        _ip("netns", "exec", _SPACES[side], "ip", "link", "set", _device(side), "down")
        found, latest = [], 0.0
        for number, worker in enumerate(workers):
            worker.wait(_DEADLINE)
            assert worker.stdout is not None
            said = re.search(r"CAUGHT ([\d.]+) (.*)", worker.stdout.read())
            who = "worker 1" if number == 0 else "The coordinator"
            if said is None or not said[2].startswith(who):
                found.append(f"worker {number} said {said and said[2]}")
                continue
            seconds = float(said[1]) - began
            latest = max(latest, seconds)
            if seconds > HEARTBEAT + SPARE:
                found.append(f"worker {number} knew after {seconds:.1f} s")
        return found, latest
    except subprocess.TimeoutExpired:
        return ["a worker did not end"], 0.0
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def _start(number: int, steps: int) -> subprocess.Popen[str]:
    cluster = {"worker": [f"{_address(n)}:7001" for n in range(2)]}
    task = {"type": "worker", "index": number}
    environment = {
        **os.environ,
        "TF_CONFIG": json.dumps({"cluster": cluster, "task": task}),
        "RUNNEL_HEARTBEAT_SECONDS": str(HEARTBEAT),
        "RUNNEL_START_SECONDS": str(_DEADLINE),
        "PYTHONPATH": str(_ROOT),
    }
    command = ["ip", "netns", "exec", _SPACES[number], sys.executable, "-c", _PROGRAM, str(steps)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, timeout=20)


def _device(number: int) -> str:
    return f"runnel-v{number}"


def _address(number: int) -> str:
    return f"10.77.0.{number + 1}"


def _join() -> None:
    """Two namespaces with a link between them."""
    _part()
    for space in _SPACES:
        _ip("netns", "add", space)
        _ip("netns", "exec", space, "ip", "link", "set", "lo", "up")
    _ip("link", "add", _device(0), "type", "veth", "peer", "name", _device(1))
    for number, space in enumerate(_SPACES):
        device = _device(number)
        _ip("link", "set", device, "netns", space)
        _ip("netns", "exec", space, "ip", "addr", "add", f"{_address(number)}/24", "dev", device)
        _ip("netns", "exec", space, "ip", "link", "set", device, "up")


def _part() -> None:
    for space in _SPACES:
        try:
            _ip("netns", "del", space)
        except (OSError, subprocess.CalledProcessError):
            continue  # there is none
