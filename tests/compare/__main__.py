"""Compare programs made at random: `make compare`; its options are in the README."""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from typing import Any

from tests.compare.pipelines import Program, program
from tests.compare.reducing import reduced
from tests.compare.workers import Worker


def main() -> int:
    """Run programs until there are enough, or the time is over; 1 if some differ."""
    parser = argparse.ArgumentParser(prog="make compare")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tensorflow-python", default=".venv-tensorflow/bin/python")
    options = parser.parse_args()
    theirs = Worker(options.tensorflow_python, "tensorflow")
    ours = Worker(sys.executable, "runnel")
    stop = time.monotonic() + 60 * options.minutes
    rng = random.Random(options.seed)
    findings: Counter[str] = Counter()
    done = 0
    try:
        while done < options.count and time.monotonic() < stop:
            made = program(rng)
            done += 1
            if _differs(made, theirs, ours):
                small = reduced(made, lambda p: _differs(p, theirs, ours))
                text = json.dumps(small)
                if not findings[text]:
                    _show(small, theirs.answer(small), ours.answer(small))
                findings[text] += 1
    finally:
        theirs.stop()
        ours.stop()
    print(f"{done} programs, {len(findings)} that differ")
    for text, times in findings.most_common():
        print(f"{times:6} {text}")
    return 1 if findings else 0


def _differs(made: Program, theirs: Worker, ours: Worker) -> bool:
    return bool(theirs.answer(made) != ours.answer(made))


def _show(made: Program, theirs: Any, ours: Any) -> None:
    print(json.dumps(made))
    print("  TensorFlow", json.dumps(theirs)[:600])
    print("  Runnel    ", json.dumps(ours)[:600], flush=True)


if __name__ == "__main__":
    sys.exit(main())
