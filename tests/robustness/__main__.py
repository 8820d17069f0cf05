"""`python -m tests.robustness [trial …] --tries N --minutes M --seed S`: the trials, and a table.

Each trial has a process of its own. It ends after `N` tries or `M` minutes; without arguments all
trials run at full numbers. The exit code is 1 if there is a finding.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.robustness.outcome import Outcome

# A trial's module, and its tries if nobody says otherwise.
TRIALS = {
    "kill": 1_000,
    "interrupt": 500,
    "hostile": 10_000,
    "bad_calls": 10_000,
    "soak": 100_000,
    "threads": 400,
    "cluster": 200,
    "links": 20,
}
_ROOT = Path(__file__).parents[2]
_GRACE = 300  # seconds a trial may take beyond its minutes, to end what it has begun


def run(name: str, tries: int, minutes: float, seed: int) -> Outcome:
    """The outcome of a trial in a process of its own."""
    command = [sys.executable, "-m", "tests.robustness", "--alone", name, "--tries", str(tries)]
    command += ["--minutes", str(minutes), "--seed", str(seed)]
    limit = 60 * minutes + _GRACE
    began = time.monotonic()
    try:
        made = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return Outcome(name, tries, time.monotonic() - began, ["the trial did not end"])
    lines = made.stdout.splitlines()
    if made.returncode or not lines:
        finding = f"the trial ended with {made.returncode}"
        return Outcome(name, tries, time.monotonic() - began, [finding])
    return Outcome(**json.loads(lines[-1]))


def alone(name: str, tries: int, minutes: float, seed: int) -> Outcome:
    """The outcome of a trial in this process."""
    module = importlib.import_module(f"tests.robustness.{name}")
    outcome: Outcome = module.trial(tries, minutes, seed)
    return outcome


def table(outcomes: Sequence[Outcome]) -> str:
    """A row for each outcome, and below them all findings."""
    lines = ["| trial | tries | seconds | findings | notes |", "|---|---:|---:|---:|---|"]
    for one in outcomes:
        row = f"| {one.name} | {one.tries:,} | {one.seconds:.0f} | {len(one.findings)} "
        lines.append(f"{row}| {one.notes} |")
    for one in outcomes:
        lines += [f"{one.name}: {finding}" for finding in one.findings]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.robustness", description=__doc__)
    parser.add_argument("trial", nargs="*", help=f"of {', '.join(TRIALS)}; all if none is named")
    parser.add_argument("--tries", type=int, help="of each trial; the full number if left out")
    parser.add_argument("--minutes", type=float, default=60.0, help="that each trial may take")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if unknown := set(asked.trial) - set(TRIALS):
        parser.error(f"there is no trial {', '.join(sorted(unknown))}")
    names = asked.trial or list(TRIALS)
    if asked.alone:
        outcome = alone(names[0], asked.tries, asked.minutes, asked.seed)
        print(json.dumps(asdict(outcome)))
        return 0
    outcomes = []
    for name in names:
        tries = TRIALS[name] if asked.tries is None else asked.tries
        outcomes.append(run(name, tries, asked.minutes, asked.seed))
        print(f"{name}: {len(outcomes[-1].findings)} findings", file=sys.stderr, flush=True)
    print(table(outcomes))
    return int(any(outcome.findings for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
