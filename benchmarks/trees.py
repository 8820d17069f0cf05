"""Time the same jobs on this checkout and on another one, in turns: what a change costs or gains.

    git worktree add ../before HEAD~1
    python benchmarks/trees.py ../before --only eager,functions --rounds 15

Each runs its own jobs; those with the same title are compared. A figure is the median time of a
call; the ratios are new to old, of the medians and of the least times, which a busy machine touches
less; the last line of a group has the geometric means of its ratios.
"""

import argparse
import math
import sys
from pathlib import Path

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
    team = [Tree(group, name, folder) for name, folder in folders.items()]
    print(f"\n| {group} | new | old | new / old | of the least |\n|---|---|---|---|---|")
    ratios: list[tuple[float, float]] = []
    for title in team[0].titles:
        if options.match not in title:
            continue
        figures = run.measure(team, title, options.rounds)
        if len(figures) < 2:
            continue
        new, old = (figures[name] for name in folders)
        both = new["median"] / old["median"], new["min"] / old["min"]
        ratios.append(both)
        cells = (run.human(found["median"], is_size=False) for found in (new, old))
        print(f"| {title} | {' | '.join(cells)} | {both[0]:.3f} | {both[1]:.3f} |", flush=True)
    for worker in team:
        worker.close()
    if ratios:
        means = [math.exp(sum(map(math.log, column)) / len(column)) for column in zip(*ratios)]
        print(f"| geometric mean | | | {means[0]:.3f} | {means[1]:.3f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path, help="the folder of the other checkout")
    parser.add_argument("--only", default="eager,functions,keras", help="groups")
    parser.add_argument("--match", default="", help="only jobs with this in their title")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    folders = {"new": run.ROOT, "old": options.old.resolve()}
    for group in options.only.split(","):
        compare(group, folders, options)


if __name__ == "__main__":
    main()
