"""Damaged files, and files made to do harm, of each format: they load, or they are refused.

A file may not end the process, hang it, fill its memory, raise an exception of another library, nor
read, write or run what the caller did not name.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import warnings
from collections import Counter

from tests.robustness.children import Child
from tests.robustness.hostile.format import Format
from tests.robustness.hostile.formats import FORMATS
from tests.robustness.hostile.worker import work
from tests.robustness.outcome import Outcome

NAME = "hostile"
_SECONDS = 20.0  # that one file may take
_AT_ONCE = 200  # files that one process reads


def trial(tries: int, minutes: float, seed: int) -> Outcome:
    began = time.monotonic()
    outcome = Outcome(NAME, 0, 0.0)
    counts: Counter[str] = Counter()
    whole = sum(format.share for format in FORMATS)
    with tempfile.TemporaryDirectory(prefix="runnel-hostile-") as place:
        for format in FORMATS:
            if time.monotonic() - began > 60 * minutes:
                break
            share = max(1, round(tries * format.share / whole))
            trying = _Trying(format, os.path.join(place, format.name), seed)
            trying.all(share, began + 60 * minutes)
            outcome.tries += trying.tries
            outcome.findings += trying.findings.values()
            counts += trying.counts
    outcome.seconds = time.monotonic() - began
    outcome.notes = ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))
    return outcome


class _Trying:
    """The files of one format; findings at the same place are counted once."""

    def __init__(self, format: Format, place: str, seed: int) -> None:
        self._format, self._place, self._seed = format, place, seed
        self.tries = 0
        self.counts: Counter[str] = Counter()
        self.findings: dict[str, str] = {}
        self._good = os.path.join(place, "good")
        os.makedirs(self._good)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            format.make(self._good)
            format.load(shutil.copytree(self._good, os.path.join(place, "read")))

    def all(self, share: int, deadline: float) -> None:
        while self.tries < share and time.monotonic() < deadline:
            self._some(range(self.tries, min(share, self.tries + _AT_ONCE)), deadline)

    def _some(self, numbers: range, deadline: float) -> None:
        """Try files in a process, until it has read them or died of one."""
        own = os.path.join(self._place, str(numbers.start))
        child = Child(lambda tell: work(tell, self._format, self._good, own, self._seed, numbers))
        how = "the first"
        while time.monotonic() < deadline:
            told = child.hear_working(_SECONDS)
            if told is None:
                break
            step, number, what = told
            if step == "begin":
                how = what
                continue
            self._count(what[0], number + 1)
            for finding in what[1:]:
                self._found(number, how, finding)
            if number == numbers[-1]:
                child.end(5.0)
                return
        if time.monotonic() < deadline:
            self._found(self.tries, how, child.end(0.5) or "it ended")
            self._count("died", self.tries + 1)
        else:
            child.end(0.0)

    def _count(self, what: str, tries: int) -> None:
        self.counts[what] += 1
        self.tries = tries

    def _found(self, number: int, how: str, finding: str) -> None:
        """Keep a finding, if it is the first of its kind in its place."""
        kind = finding.partition(": ")[0]
        if number < len(self._format.exploits):
            kind += how
        text = f"{self._format.name} {number} ({how:.100}): {finding}"
        self.findings.setdefault(kind, text)
