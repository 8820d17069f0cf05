"""Ask TensorFlow about the bad calls whose errors would be findings, and allow what it raises too.

    python -m tests.robustness.ask_tensorflow PYTHON TRIES SEED...

`PYTHON` is TensorFlow's. What TensorFlow answers is added to `bad_calls_allowed.json`: for each
name the classes that it raises for such calls.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import asdict

from tests.robustness.bad_calls import _ALLOWED, _ROOT, Finding, findings
from tests.robustness.calls import Call, run

_PATIENCE = 600  # seconds for all answers of one process
_MEMORY = 6 << 30  # bytes that one may take


def main(python: str, tries: int, seeds: list[int]) -> None:
    allowed: dict[str, list[str]] = json.loads(_ALLOWED.read_text())
    for seed in seeds:
        found, _ = findings(tries, 60.0, seed)
        asked = [one for one in found if one.error]
        for one, answer in zip(asked, answers(python, asked)):
            if answer == one.error:
                allowed[one.key] = sorted({*allowed.get(one.key, ()), answer})
            else:
                print(f"#{seed}/{one.number} {one.call}: {one.text}; TensorFlow: {answer}")
        for one in found:
            if not one.error:
                print(f"#{seed}/{one.number} {one.call}: {one.text}")
        _ALLOWED.write_text(json.dumps(allowed, indent=1, sort_keys=True) + "\n")


def answers(python: str, asked: list[Finding]) -> Iterator[str]:
    """What comes of the calls in TensorFlow: the class of the error, "" if there was none."""
    rest = [asdict(one.call) for one in asked]
    while rest:
        got = _answered(python, json.dumps(rest))
        yield from got
        if len(got) < len(rest):
            yield "a crash"
        rest = rest[len(got) + 1 :]


def _answered(python: str, text: str) -> list[str]:
    settings = {"TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(_ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run(
            [python, "-m", "tests.robustness.ask_tensorflow", "--answer"],
            input=text.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={**os.environ, **settings, "HOME": folder, "TMPDIR": folder},
            timeout=_PATIENCE,
        )
    return [line[7:].decode() for line in made.stdout.splitlines() if line.startswith(b"answer:")]


def _answer() -> None:
    """Make the calls from the standard input in TensorFlow."""
    import tensorflow as tf

    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    warnings.simplefilter("ignore")
    for data in json.load(sys.stdin):
        os.chdir(tempfile.mkdtemp())
        try:
            run(tf, Call(**data))
            print("answer:", flush=True)
        except BaseException as error:
            print(f"answer:{type(error).__name__}", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--answer":
        _answer()
    else:
        main(sys.argv[1], int(sys.argv[2]), list(map(int, sys.argv[3:])))
