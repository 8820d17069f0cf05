"""Compare programs made at random: `make compare`; its options are in the README."""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.compare import agreeing, deliberate
from tests.compare.reducing import reduced
from tests.compare.workers import KINDS, Worker, kind_of

_BATCH = 50  # programs that both processes answer before their answers are compared


class Comparison:
    """Both processes, and what they answered differently."""

    def __init__(self, kind: str, tensorflow_python: str) -> None:
        self._kind, self._module = kind, kind_of(kind)
        self._difference = getattr(self._module, "difference", agreeing.difference)
        self._reason = getattr(self._module, "reason", deliberate.reason)
        self._workers = [Worker(tensorflow_python, "tensorflow"), Worker(sys.executable, "runnel")]
        self._pool = ThreadPoolExecutor(2)
        self.found: Counter[tuple[str, str]] = Counter()
        self.meant: Counter[str] = Counter()
        self.done = 0

    def run(self, programs: list[Any]) -> None:
        """Compare what the programs answer, and show those that differ in a new way."""
        for made, theirs, ours in zip(programs, *self._answers(programs)):
            self.done += 1
            way = self._difference(theirs, ours)
            why = way and self._reason(self._label(made), theirs, ours)
            if why:
                self.meant[why] += 1
            elif way:
                self._note(made, way)

    def stop(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.stop()

    def _label(self, made: Any) -> str:
        return str(self._module.label(made))

    def _family(self, made: Any) -> str:
        """What programs that differ for one reason have in common."""
        return str(getattr(self._module, "family", self._module.label)(made))

    def _answers(self, programs: list[Any]) -> list[list[Any]]:
        first = self._asked([self._module.sent(made) for made in programs])
        if not hasattr(self._module, "second"):
            return first
        second = self._asked([self._module.second(made) for made in programs])
        pairs = zip(first, second, strict=True)
        return [self._module.together(*pair) for pair in pairs]

    def _asked(self, programs: list[Any]) -> list[list[Any]]:
        sent = [{"kind": self._kind, "program": each} for each in programs]
        return list(self._pool.map(lambda worker: [*map(worker.answer, sent)], self._workers))

    def _way(self, made: Any) -> str:
        (theirs,), (ours,) = self._answers([made])
        return str(self._difference(theirs, ours))

    def _note(self, made: Any, way: str) -> None:
        key = (self._label(made), way)
        if key not in self.found:
            small = reduced(made, self._module.smaller, lambda p: self._way(p) == way)
            key = (self._family(small), way)
        self.found[key] += 1
        if self.found[key] > 1:
            return
        (theirs,), (ours,) = self._answers([small])
        print(f"{key[0]}: {way}\n  {json.dumps(self._module.sent(small))}")
        print("  TensorFlow", json.dumps(theirs)[:400])
        print("  Runnel    ", json.dumps(ours)[:400], flush=True)


def main() -> int:
    """Run programs until there are enough, or the time is over; 1 if some differ."""
    parser = argparse.ArgumentParser(prog="make compare")
    parser.add_argument("--kind", choices=KINDS, default="calls")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="the beginning of names of what is called")
    parser.add_argument("--tensorflow-python", default=".venv-tensorflow/bin/python")
    options = parser.parse_args()
    comparison = Comparison(options.kind, options.tensorflow_python)
    stop = time.monotonic() + 60 * options.minutes
    programs = itertools.islice(_programs(options), options.count)
    try:
        while time.monotonic() < stop and (batch := [*itertools.islice(programs, _BATCH)]):
            comparison.run(batch)
    finally:
        comparison.stop()
    print(f"{comparison.done} programs, {len(comparison.found)} ways to differ")
    for (label, way), times in comparison.found.most_common():
        print(f"{times:6} {label}: {way}")
    for why, times in comparison.meant.most_common():
        print(f"{times:6} meant: {why}")
    return 1 if comparison.found else 0


def _programs(options: argparse.Namespace) -> Iterator[Any]:
    module = kind_of(options.kind)
    rng = random.Random(options.seed)
    while True:
        made = module.program(rng)
        if module.label(made).startswith(options.only):
            yield made


if __name__ == "__main__":
    sys.exit(main())
