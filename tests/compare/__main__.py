"""Compare programs made at random: `make compare`; its options are in the README."""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from tests.compare import agreeing, deliberate
from tests.compare.reducing import reduced
from tests.compare.workers import KINDS, Worker, kind_of

_BATCH = 50  # programs that both processes answer before their answers are compared


class Numbered(NamedTuple):
    """A program, and how to make it again: the seed and its number."""

    number: str
    made: Any


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
        self.differing: list[str] = []
        self.small: list[dict[str, Any]] = []  # what they were reduced to
        self.done = 0

    def run(self, programs: list[Numbered]) -> None:
        """Compare what the programs answer, and show those that differ in a new way."""
        answers = self._answers([each.made for each in programs])
        for (number, made), theirs, ours in zip(programs, *answers):
            self.done += 1
            way = self._difference(theirs, ours)
            why = way and self._why(made, theirs, ours)
            if why:
                self.meant[why] += 1
            elif way:
                self.differing.append(number)
                self._note(number, made, way)

    def _why(self, made: Any, theirs: Any, ours: Any) -> str:
        """Why the answers may differ; nothing if they may not."""
        found = str(self._reason(self._label(made), theirs, ours))
        if found or not hasattr(self._module, "asides"):
            return found
        pairs = list(zip(*self._answers(self._module.asides(made, theirs, ours)), strict=True))
        asides = [(one, other, self._difference(one, other)) for one, other in pairs]
        return deliberate.aside(theirs, ours, asides)

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

    def _note(self, number: str, made: Any, way: str) -> None:
        key = (self._label(made), way)
        if key not in self.found:
            small = reduced(made, self._module.smaller, lambda p: self._way(p) == way)
            key = (self._family(small), way)
        self.found[key] += 1
        if self.found[key] > 1:
            return
        (theirs,), (ours,) = self._answers([small])
        print(f"{key[0]}: {way} [{number}]\n  {json.dumps(self._module.sent(small))}")
        entry = {"label": key[0], "way": way, "program": self._module.sent(small)}
        self.small.append({"kind": self._kind, **entry, "theirs": theirs})
        shown = getattr(self._module, "shown", lambda one, other: (one, other))
        for name, answer in zip(("TensorFlow", "Runnel    "), shown(theirs, ours), strict=True):
            print(f"  {name} {json.dumps(answer)[:400]}", flush=True)


def main() -> int:
    """Run programs until there are enough, or the time is over; 1 if some differ."""
    parser = argparse.ArgumentParser(prog="make compare")
    parser.add_argument("--kind", choices=KINDS, default="calls")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    parser.add_argument("--only", default="", help="the beginning of names of what is called")
    parser.add_argument("--left", type=Path, help="a file for the numbers of those that differ")
    parser.add_argument("--found", type=Path, help="a file for what they are reduced to")
    parser.add_argument("--again", type=Path, help="such a file: only these programs")
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
    if options.left:
        options.left.write_text("".join(f"{number}\n" for number in comparison.differing))
    if options.found:
        options.found.write_text("".join(f"{json.dumps(each)}\n" for each in comparison.small))
    return 1 if comparison.found else 0


def _programs(options: argparse.Namespace) -> Iterator[Numbered]:
    module = kind_of(options.kind)
    for number in _numbers(options):
        made = module.program(random.Random(number))
        if module.label(made).startswith(options.only):
            yield Numbered(number, made)


def _numbers(options: argparse.Namespace) -> Iterable[str]:
    if options.again:
        return list(dict.fromkeys(options.again.read_text().split()))
    return (f"{options.seed}/{number}" for number in itertools.count(options.first))


if __name__ == "__main__":
    sys.exit(main())
