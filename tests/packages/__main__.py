"""`make packages`: the tests of packages that import tensorflow, on Runnel."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tests.packages import environment, results
from tests.packages.catalog import CATALOG, Package

HELP = "Run packages' own tests on Runnel, and compare with what passes on TensorFlow."


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.packages", description=HELP)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(CATALOG)}; all by default")
    parser.add_argument("--sources", type=Path, help="a folder with checkouts, by package name")
    parser.add_argument("--home", type=Path, default=environment.ROOT / ".venv-packages")
    parser.add_argument("--seconds", type=int, default=1200, help="at most, for one package")
    parser.add_argument("--workers", default=str(min(8, os.cpu_count() or 1)))
    parser.add_argument("--python", type=Path, help="of an environment that is there already")
    parser.add_argument("--record", action="store_true", help="on TensorFlow, and write the lists")
    options = parser.parse_args()
    unknown = set(options.names) - set(CATALOG)
    if unknown:
        parser.error(f"no such packages: {sorted(unknown)}")
    chosen = [CATALOG[name] for name in options.names or CATALOG]
    good = [_checked(package, options) for package in chosen]
    sys.exit(not all(good))


def _checked(package: Package, options: argparse.Namespace) -> bool:
    python = options.python or environment.made(package, options.home, real=options.record)
    work = options.home / "work"
    folder = environment.tests_of(package, python, work, options.sources)
    found = results.run(package, python, folder, options.seconds, options.workers)
    told = ", ".join(f"{sum(counts.values())} {kind}" for kind, counts in found.items())
    if options.record:
        results.record(package, found["passed"])
        print(f"{package.name} on TensorFlow: {told}")
        return True
    expected = results.recorded(package)
    lost, explained = results.lost(package, expected, found)
    print(
        f"{package.name}: {told}; of {sum(expected.values())} that pass on TensorFlow "
        f"{sum(lost.values())} do not, and {explained} for reasons in the catalog"
    )
    for name, count in sorted(lost.items()):
        print(f"  {name}" + (f" ({count} cases)" if count > 1 else ""))
    return not lost


if __name__ == "__main__":
    main()
