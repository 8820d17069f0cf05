"""Time the same jobs on this checkout and on another one, in turns: what a change costs or gains.

    git worktree add ../before HEAD~1
    python benchmarks/trees.py ../before --only eager,functions --rounds 15

Each runs its own jobs; those with the same title are compared. A figure is the median time of a
call; the ratios are new to old, of the medians and of the least times, which a busy machine touches
less; the last line of a group has the geometric means of its ratios.

A process may be some percent faster or slower than the next one of the same tree, for as long as it
lives. `--starts 8` starts both trees eight times, in turns, and takes geometric means of all of it.
"""

import argparse
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

import run

SYSTEM = "runnel"


class Tree(run.Worker):
    """A worker whose Runnel is that of a checkout."""

    def __init__(self, group: str, name: str, folder: Path) -> None:
        saved = run.ENVIRONMENT.copy()
        run.ENVIRONMENT["PYTHONPATH"] = str(folder)
        run.ENVIRONMENT["PYTHONSAFEPATH"] = "1"  # the folder that it starts in does not come first
        try:
            super().__init__(name, sys.executable, "benchmarks.worker", group, SYSTEM)
        finally:
            run.ENVIRONMENT.clear()
            run.ENVIRONMENT.update(saved)


def compare(group: str, folders: dict[str, Path], options: argparse.Namespace) -> None:
    found: dict[str, list[run.Figures]] = {}
    for start in range(options.starts):
        order = list(folders.items())[:: 1 if start % 2 == 0 else -1]
        team = [Tree(group, name, folder) for name, folder in order]
        for title in team[0].titles:
            if any(word in title for word in options.match.split(",")):
                figures = run.measure(team, title, options.rounds)
                if len(figures) == 2:
                    found.setdefault(title, []).append(figures)
        for worker in team:
            worker.close()
    print(f"\n| {group} | new | old | new / old | of the least |\n|---|---|---|---|---|")
    ratios = [row(title, starts) for title, starts in found.items()]
    if ratios:
        medians, least = map(mean, zip(*ratios))
        print(f"| geometric mean | | | {medians:.3f} | {least:.3f} |", flush=True)


def row(title: str, starts: list[run.Figures]) -> tuple[float, float]:
    """Print the line of a job; its two ratios."""
    new, old = (
        {kind: mean(figures[tree][kind] for figures in starts) for kind in ("median", "min")}
        for tree in ("new", "old")
    )
    both = new["median"] / old["median"], new["min"] / old["min"]
    cells = (run.human(figures["median"], is_size=False) for figures in (new, old))
    print(f"| {title} | {' | '.join(cells)} | {both[0]:.3f} | {both[1]:.3f} |", flush=True)
    return both


def mean(values: Iterable[float]) -> float:
    """The geometric mean."""
    return math.exp(fmean(map(math.log, values)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path, help="the folder of the other checkout")
    parser.add_argument("--only", default="eager,functions,keras", help="groups")
    parser.add_argument("--match", default="", help="only jobs with one of these in their title")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--starts", type=int, default=1, help="of each tree")
    options = parser.parse_args()
    folders = {"new": run.ROOT, "old": options.old.resolve()}
    for group in options.only.split(","):
        compare(group, folders, options)


if __name__ == "__main__":
    main()
