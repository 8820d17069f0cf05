"""Processes that train together are killed or stopped: the others say who, and all begin anew.

The restarted program goes on from its last checkpoint. Of every step the last attempt that ran it
counts: each sample of an epoch was used exactly once, and the variables at the end are those of a
run that nobody disturbed, bit for bit.
"""

from __future__ import annotations

import functools
import json
import random
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.robustness.forked import launched
from tests.robustness.ledger import BATCH, SAMPLES
from tests.robustness.outcome import Outcome

NAME = "cluster"
HEARTBEAT = 3.0  # seconds of silence after which a process counts as gone
SPARE = 2.0  # seconds more that the others may take
STEPS = 14
STRIKES = 5  # in one run of the program, each in an attempt of its own
SPREAD = 0.04  # seconds after the start of a step, which takes about half of that
_DEADLINE = 240.0  # seconds for a program with its restarts

# Attempt, step, process, signal, and seconds since the step began.
Moment = tuple[int, int, int, str, float]


def trial(tries: int, minutes: float, seed: int) -> Outcome:
    began = time.monotonic()
    chance = random.Random(seed)
    outcome = Outcome(NAME, 0, 0.0)
    slowest = {"SIGKILL": 0.0, "SIGSTOP": 0.0}
    while outcome.tries < tries and time.monotonic() - began < 60 * minutes:
        workers = chance.choice((2, 2, 3, 4))
        moments = _moments(chance, workers, min(STRIKES, tries - outcome.tries))
        found, seconds = strike(workers, moments)
        for (*_, kind, _), late in zip(moments, seconds, strict=True):
            slowest[kind] = max(slowest[kind], late)
        outcome.findings += [f"{workers} workers, {moments}: {f}" for f in found]
        outcome.tries += len(moments)
    outcome.seconds = time.monotonic() - began
    told = ", ".join(f"{kind} {seconds:.1f} s" for kind, seconds in slowest.items())
    outcome.notes = f"the others knew after at most: {told}"
    return outcome


def _moments(chance: random.Random, workers: int, count: int) -> list[Moment]:
    """One for each attempt: at a step which that one comes to."""
    steps = sorted(chance.randrange(STEPS) for _ in range(count))
    return [
        (
            attempt,
            step,
            chance.randrange(workers),
            chance.choice(("SIGKILL", "SIGSTOP")),
            round(chance.uniform(0, SPREAD), 4),
        )
        for attempt, step in enumerate(steps)
    ]


def strike(workers: int, moments: Sequence[Moment]) -> tuple[list[str], list[float]]:
    """What is wrong after processes did that to themselves, and when the others knew."""
    unknown = [0.0] * len(moments)
    with tempfile.TemporaryDirectory(prefix="runnel-cluster-") as folder:
        done = _launched(folder, workers, moments)
        if done is None:
            return [f"the program did not end within {_DEADLINE} s"], unknown
        if done.returncode:
            return [f"exit code {done.returncode}: {done.stderr[-1500:]}"], unknown
        judged = [_judged(done.stdout, workers, moment) for moment in moments]
        found = [f for finding, _ in judged for f in finding]
        found += _miscounted(folder, workers)
        if _finals(folder, workers) != [undisturbed(workers)] * workers:
            found.append("the variables differ from those of an undisturbed run")
    return found, [seconds for _, seconds in judged]


@functools.cache
def undisturbed(workers: int) -> str:
    """The variables at the end of a run that nobody disturbs."""
    with tempfile.TemporaryDirectory(prefix="runnel-cluster-") as folder:
        done = _launched(folder, workers, [])
        assert done is not None
        assert done.returncode == 0, done.stderr
        assert not _miscounted(folder, workers)
        return _finals(folder, workers)[0]


def _launched(folder: str, workers: int, moments: Sequence[Moment]) -> Any:
    restarts = len(moments)
    asked = ["--workers", str(workers), "--max-restarts", str(restarts)]
    asked += ["--heartbeat", str(HEARTBEAT), "--start-timeout", "120"]
    asked += [str(Path(__file__).with_name("ledger.py")), folder, str(STEPS), json.dumps(moments)]
    try:
        return launched(asked, workers * (restarts + 1), _DEADLINE)
    except AssertionError:
        return None


def _judged(said: str, workers: int, moment: Moment) -> tuple[list[str], float]:
    """Whether all the others said in time who had gone."""
    attempt, _, victim, kind, _ = moment
    struck = re.search(rf"STRUCK {attempt} ([\d.]+)", said)
    if struck is None:
        return [f"nobody was struck in attempt {attempt}"], 0.0
    limit = SPARE if kind == "SIGKILL" else HEARTBEAT + SPARE
    found, latest = [], 0.0
    for number in set(range(workers)) - {victim}:
        words = rf"^\[worker {number}\] CAUGHT {attempt} ([\d.]+) (.*)$"
        caught = re.search(words, said, re.MULTILINE)
        who = f"attempt {attempt}: worker {number}"
        if caught is None:
            found.append(f"{who} raised no error")
            continue
        seconds = float(caught[1]) - float(struck[1])
        latest = max(latest, seconds)
        if not caught[2].startswith(f"UnavailableError: worker {victim} "):
            found.append(f"{who} said {caught[2]}")
        if seconds > limit:
            found.append(f"{who} knew after {seconds:.1f} s")
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
