"""Processes that train together are killed or stopped: the others say who, and all begin anew.

The restarted program goes on from its last checkpoint. Of every step the last attempt that ran it
counts: each sample of an epoch was used exactly once, and the variables at the end are those of a
run that nobody disturbed, bit for bit.
"""

from __future__ import annotations

import functools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.robustness.ledger import BATCH, SAMPLES
from tests.robustness.outcome import Outcome

NAME = "cluster"
HEARTBEAT = 10.0  # seconds of silence after which a process counts as gone
SPARE = 2.0  # seconds more that the others may take
STEPS = 14
_DEADLINE = 240.0  # seconds for a program with its restarts
_ROOT = Path(__file__).parents[2]


def trial(tries: int, minutes: float, seed: int) -> Outcome:
    began = time.monotonic()
    chance = random.Random(seed)
    outcome = Outcome(NAME, 0, 0.0)
    slowest = {"SIGKILL": 0.0, "SIGSTOP": 0.0}
    for number in range(tries):
        if time.monotonic() - began > 60 * minutes:
            break
        workers = chance.choice((2, 2, 3, 4))
        kind = chance.choice(("SIGKILL", "SIGSTOP"))
        moment = [0, chance.randrange(STEPS), chance.randrange(workers), kind]
        found, seconds = strike(workers, moment)
        slowest[kind] = max(slowest[kind], seconds)
        outcome.tries += 1
        outcome.findings += [f"try {number}, {workers} workers, {moment}: {f}" for f in found]
    outcome.seconds = time.monotonic() - began
    told = ", ".join(f"{kind} {seconds:.1f} s" for kind, seconds in slowest.items())
    outcome.notes = f"the others knew after at most: {told}"
    return outcome


def strike(workers: int, moment: list[Any]) -> tuple[list[str], float]:
    """What is wrong after one process did that to itself, and when the last one knew."""
    with tempfile.TemporaryDirectory(prefix="runnel-cluster-") as folder:
        done = _launched(folder, workers, [moment])
        if done is None:
            return [f"the program did not end within {_DEADLINE} s"], 0.0
        if done.returncode:
            return [f"exit code {done.returncode}: {done.stderr[-1500:]}"], 0.0
        found, seconds = _judged(done.stdout, workers, moment)
        found += _miscounted(folder, workers)
        if _finals(folder, workers) != [undisturbed(workers)] * workers:
            found.append("the variables differ from those of an undisturbed run")
    return found, seconds


@functools.cache
def undisturbed(workers: int) -> str:
    """The variables at the end of a run that nobody disturbs."""
    with tempfile.TemporaryDirectory(prefix="runnel-cluster-") as folder:
        done = _launched(folder, workers, [])
        assert done is not None
        assert done.returncode == 0, done.stderr
        assert not _miscounted(folder, workers)
        return _finals(folder, workers)[0]


def _launched(folder: str, workers: int, moments: list[Any]) -> Any:
    command = [sys.executable, "-m", "runnel.distribute", "--workers", str(workers)]
    command += ["--max-restarts", "1", "--heartbeat", str(HEARTBEAT), "--start-timeout", "120"]
    script = Path(__file__).with_name("ledger.py")
    command += [str(script), folder, str(STEPS), json.dumps(moments)]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    try:
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_DEADLINE
        )
    except subprocess.TimeoutExpired:
        return None


def _judged(said: str, workers: int, moment: list[Any]) -> tuple[list[str], float]:
    """Whether all the others said in time who had gone."""
    _, _, victim, kind = moment
    struck = re.search(r"STRUCK ([\d.]+)", said)
    if struck is None:
        return ["nobody was struck"], 0.0
    limit = SPARE if kind == "SIGKILL" else HEARTBEAT + SPARE
    found, latest = [], 0.0
    for number in set(range(workers)) - {victim}:
        caught = re.search(rf"^\[worker {number}\] CAUGHT ([\d.]+) (.*)$", said, re.MULTILINE)
        if caught is None:
            found.append(f"worker {number} raised no error")
            continue
        seconds = float(caught[1]) - float(struck[1])
        latest = max(latest, seconds)
        if not caught[2].startswith(f"UnavailableError: worker {victim} "):
            found.append(f"worker {number} said {caught[2]}")
        if seconds > limit:
            found.append(f"worker {number} knew after {seconds:.1f} s")
    return found, latest


def _miscounted(folder: str, workers: int) -> list[str]:
    """What is wrong with the samples of each epoch, in the history that counts."""
    used: dict[int, list[int]] = {}
    for number in range(workers):
        last: dict[int, tuple[int, list[int]]] = {}
        for line in Path(folder, f"ledger-{number}").read_text().splitlines():
            attempt, step, samples = json.loads(line)
            if step not in last or attempt >= last[step][0]:
                last[step] = (attempt, samples)
        for step, (_, samples) in last.items():
            used.setdefault(step, []).extend(samples)
    if sorted(used) != list(range(STEPS)):
        return [f"the steps were {sorted(used)}"]
    found, length = [], SAMPLES // BATCH
    for first in range(0, STEPS - length + 1, length):
        samples = sorted(n for step in range(first, first + length) for n in used[step])
        if samples != list(range(SAMPLES)):
            found.append(f"epoch {first // length} used {samples}")
    return found


def _finals(folder: str, workers: int) -> list[str]:
    return [Path(folder, f"final-{number}").read_text() for number in range(workers)]
