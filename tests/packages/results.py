"""What came of tests: counted by test function, recorded, and compared."""

from __future__ import annotations

import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

from tests.packages.catalog import Package

RECORDED = Path(__file__).parent / "passing"
Outcomes = dict[str, Counter[str]]


def run(package: Package, python: Path, folder: Path, seconds: int, workers: str) -> Outcomes:
    """Run the tests; by outcome, how many cases each test function has."""
    report = folder.parent / "report.xml"
    report.unlink(missing_ok=True)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:warnings"]
    command += ["-o", "python_files=test_*.py *_test.py", "-o", "junit_family=xunit1"]
    command += ["-n", workers, "--timeout", "180", f"--junitxml={report}"]
    command += [*package.options.split(), *package.tests.split()]
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    with open(folder.parent / "log.txt", "w") as log:
        subprocess.run(
            command, cwd=folder, env=environment, stdout=log, stderr=log, timeout=seconds
        )
    if not report.exists():
        raise SystemExit(f"{package.name}: the tests did not end, see {folder.parent}/log.txt")
    return parsed(report.read_text())


def parsed(text: str) -> Outcomes:
    """The outcomes in a report of pytest."""
    found: Outcomes = {kind: Counter() for kind in ("passed", "failed", "skipped")}
    for case in ElementTree.fromstring(text).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}".partition("[")[0]
        name = re.sub(r"at0x[0-9a-f]+", "", name)  # the address of an argument
        kinds = {child.tag for child in case}
        bad = kinds & {"failure", "error"}
        found["failed" if bad else "skipped" if "skipped" in kinds else "passed"][name] += 1
    return found


def recorded(package: Package) -> Counter[str]:
    """How many cases of each test function pass on TensorFlow."""
    text = (RECORDED / f"{package.name}.txt").read_text()
    pairs = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return Counter({name: int(count) for name, count in pairs})


def record(package: Package, passed: Counter[str]) -> None:
    lines = [f"# {package.distribution}: cases that pass on TensorFlow, by test function"]
    lines += [f"{name} {count}" for name, count in sorted(passed.items())]
    RECORDED.mkdir(exist_ok=True)
    (RECORDED / f"{package.name}.txt").write_text("\n".join(lines) + "\n")


def lost(package: Package, expected: Counter[str], found: Outcomes) -> tuple[Counter[str], int]:
    """Cases that pass on TensorFlow alone: those nobody explained, and how many were explained."""
    missing = expected - found["passed"]
    explained = {
        name for name in missing if any(name.startswith(start) for start in package.differences)
    }
    return (
        Counter({name: n for name, n in missing.items() if name not in explained}),
        sum(missing[name] for name in explained),
    )
