"""Time the same jobs on Runnel and its peers, in turns, and write the results down.

    python benchmarks/run.py
    python benchmarks/run.py --only eager --systems runnel,tensorflow --tensorflow-python PATH
    python benchmarks/run.py --match matmul --rounds 50

Each system has a process of its own, in its own environment. Round by round every system runs a
loop of about 50 ms; the figures are the median and the least time of a call, so that a busy
moment of the machine touches all systems alike.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
GROUPS = (
    "data",
    "eager",
    "functions",
    "gradients",
    "graphs",
    "keras",
    "layers",
    "networks",
    "photos",
    "ragged",
    "saving",
    "sessions",
    "sparse",
    "strings",
    "startup",
)
SWEEPS = ("ops",)  # of so many jobs that they run only when asked for; listed worst first
PYTHONS = {  # system -> the interpreter that has it
    "runnel": sys.executable,
    "tensorflow": str(ROOT / ".venv-tensorflow" / "bin" / "python"),
    "numpy": sys.executable,
    "jax": sys.executable,
    "torch": sys.executable,
    "keras_jax": str(ROOT / ".venv-keras" / "bin" / "python"),  # Keras 3 on JAX
    "keras_torch": sys.executable,  # Keras 3 on PyTorch
}
PEER = "tensorflow"
ENVIRONMENT = {
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_USE_LEGACY_KERAS": "1",
    "PYTHONDONTWRITEBYTECODE": "",  # installed packages have their bytecode; a checkout too, then
}

SETTLING = 0.05  # seconds after which the idle threads of the system before no longer spin

Figures = dict[str, dict[str, float]]  # system -> {"median": …, "min": …}


class Missing(Exception):
    """A system, or one job on it, cannot run."""


class Worker:
    """A process that has one system loaded and times jobs on it."""

    def __init__(self, system: str, python: str, module: str, *args: str) -> None:
        self.system = system
        self.command = (python, module, *args)
        greeting = self.start()
        self.version, self.titles = greeting["version"], greeting["titles"]

    def start(self) -> dict[str, Any]:
        self.log = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115 (closed in `close`)
        self.process = start(*self.command, stderr=self.log)
        return self.read()

    def ask(self, request: str) -> Any:
        if self.process.poll() is not None:  # a job has ended it
            self.start()
        print(request, file=self.process.stdin, flush=True)
        reply = self.read()
        if "error" in reply:
            raise Missing(reply["error"])
        return reply["answer"]

    def read(self) -> dict[str, Any]:
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            self.log.seek(0)
            raise Missing(last_line(self.log.read()))
        return json.loads(line)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.log.close()


def start(python: str, module: str, *args: str, **options: Any) -> subprocess.Popen[str]:
    command = [python, "-m", module, *args]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    try:
        return subprocess.Popen(command, cwd=ROOT, env=os.environ | ENVIRONMENT, **pipes, **options)
    except OSError as error:
        raise Missing(str(error)) from None


@contextmanager
def workers(group: str, pythons: dict[str, str]) -> Iterator[list[Worker]]:
    with ExitStack() as stack:
        started = []
        for system, python in pythons.items():
            try:
                worker = Worker(system, python, "benchmarks.worker", group, system)
            except Missing as reason:
                note(f"{system} is left out: {reason}")
            else:
                stack.callback(worker.close)
                started.append(worker)
        if not started:
            sys.exit("No system to measure.")
        yield [worker for worker in started if worker.titles]


def last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def note(text: str) -> None:
    print(text, file=sys.stderr)


def in_turns(items: Sequence[Any], rounds: int) -> Iterator[Any]:
    """Every item in every round, forwards and backwards by turns."""
    for turn in range(rounds):
        yield from items if turn % 2 == 0 else reversed(items)


def measure(team: list[Worker], title: str, rounds: int) -> Figures:
    """Seconds of one call of the job on each system that can run it."""
    calls: dict[Worker, int] = {}
    for worker in team:
        try:
            calls[worker] = worker.ask(f"calibrate {title}")
        except Missing as reason:
            note(f"{title} fails on {worker.system}: {reason}")
    times: dict[str, list[float]] = {worker.system: [] for worker in calls}
    for worker in in_turns(list(calls), rounds):
        time.sleep(SETTLING)
        seconds = worker.ask(f"run {title} {calls[worker]}")
        times[worker.system].append(seconds / calls[worker])
    return summary(times)


def summary(samples: dict[str, list[float]]) -> Figures:
    return {s: {"median": median(values), "min": min(values)} for s, values in samples.items()}


def run_jobs(group: str, pythons: dict[str, str], options: argparse.Namespace) -> dict[str, Any]:
    """Time the jobs of a group, showing each as it is done."""
    with workers(group, pythons) as team:
        titles = dict.fromkeys(title for worker in team for title in worker.titles)
        versions = {worker.system: worker.version for worker in team}
        print(header(group, list(versions)))
        rows = {}
        for title in titles:
            if options.match in title:
                able = [worker for worker in team if title in worker.titles]
                rows[title] = measure(able, title, options.rounds)
                print(row(title, rows[title], list(versions)), flush=True)
    if group in SWEEPS:
        rows = dict(sorted(rows.items(), key=lambda named: lead(named[1])))
    return {"versions": versions, "rows": rows}


def lead(figures: Figures) -> float:
    """How many times Runnel's least time the peer takes; rows without both come last."""
    if not {"runnel", PEER} <= set(figures):
        return float("inf")
    return figures[PEER]["min"] / figures["runnel"]["min"]


def start_afresh(system: str, python: str) -> dict[str, float]:
    """What `startup.py` measures in a process that has loaded nothing yet."""
    process = start(python, "benchmarks.startup", system, stderr=subprocess.PIPE)
    output, errors = process.communicate()
    if process.returncode != 0:
        raise Missing(last_line(errors))
    return json.loads(output)


def run_startup(pythons: dict[str, str], options: argparse.Namespace) -> dict[str, Any]:
    """Import each system in fresh processes; the first round only warms the disk's cache."""
    samples: dict[str, list[dict[str, float]]] = {s: [] for s in ("runnel", PEER) if s in pythons}
    for system in in_turns(list(samples), 1 + min(options.rounds, 5)):
        if system in samples:
            try:
                samples[system].append(start_afresh(system, pythons[system]))
            except Missing as reason:
                del samples[system]
                note(f"{system} is left out: {reason}")
    systems = list(samples)
    if not systems:
        sys.exit("No system to measure.")
    print(header("startup", systems))
    rows = {}
    for title in samples[systems[0]][0]:
        if options.match in title:
            rows[title] = summary({s: [facts[title] for facts in samples[s][1:]] for s in systems})
            print(row(title, rows[title], systems))
    return {"versions": dict.fromkeys(systems), "rows": rows}


def header(group: str, systems: list[str]) -> str:
    names = " | ".join(f"{system:18}" for system in systems)
    return f"\n| {group:34} | {names} |\n|{'-' * 36}|" + f"{'-' * 20}|" * len(systems)


def row(title: str, figures: Figures, systems: list[str]) -> str:
    """A line of the table: each median and, for the peers, how many times Runnel's it is."""
    own = figures.get("runnel", {}).get("median")
    cells = []
    for system in systems:
        cell = ""
        if system in figures:
            value = figures[system]["median"]
            cell = human(value, is_size="memory" in title or "size" in title)
            cell += f" ({value / own:.2f}x)" if own and system != "runnel" else ""
        cells.append(f"{cell:18}")
    return f"| {title:34} | {' | '.join(cells)} |"


def human(value: float, *, is_size: bool) -> str:
    if is_size:
        return f"{value / 1e6:.0f} MB"
    for scale, unit in ((1, "s"), (1e3, "ms")):
        if value * scale >= 1:
            return f"{value * scale:.2f} {unit}"
    return f"{value * 1e6:.2f} µs"


def report(results: dict[str, Any]) -> str:
    """The Markdown page of all groups measured so far."""
    parts = [
        "# Speed\n\nWritten by `make bench`. Each figure is the median time of a call (or of an "
        "import, or bytes); in brackets, how many times Runnel's it is.\n"
    ]
    for group, result in results.items():
        systems = list(result["versions"])
        named = [f"{system} {version}" for system, version in result["versions"].items() if version]
        parts.append("\n" + ", ".join([result["date"], result["machine"], *named]) + ":\n")
        parts.append(header(group, systems) + "\n")
        parts += [row(title, figures, systems) + "\n" for title, figures in result["rows"].items()]
    return "".join(parts)


def save(results: dict[str, Any], folder: Path) -> None:
    """Write both files; a group that did not run keeps what was written before."""
    path = folder / "results.json"
    earlier = json.loads(path.read_text()) if path.exists() else {}
    known = earlier | results
    results = {group: known[group] for group in (*GROUPS, *SWEEPS) if group in known}
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n")
    (folder / "results.md").write_text(report(results))


def machine() -> str:
    kind = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    try:
        flags = Path("/proc/cpuinfo").read_text()
    except OSError:
        return kind
    vectors = [name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in flags]
    return f"{kind} with {vectors[0]}" if vectors else kind


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("groups", nargs="*", help="the same as --only")
    parser.add_argument("--only", default=",".join(GROUPS), help="groups, separated by commas")
    parser.add_argument("--match", default="", help="only jobs with this in their title; not saved")
    parser.add_argument("--systems", default=",".join(PYTHONS), help="separated by commas")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--output", type=Path, default=HERE, help="folder of the results")
    for system, python in PYTHONS.items():
        parser.add_argument(f"--{system.replace('_', '-')}-python", metavar="PATH", default=python)
    options = parser.parse_args()
    options.only = options.groups or options.only.split(",")
    options.systems = options.systems.split(",")
    for given, known in ((options.only, (*GROUPS, *SWEEPS)), (options.systems, PYTHONS)):
        if unknown := [name for name in given if name not in known]:
            parser.error(f"{', '.join(unknown)}: not among {', '.join(known)}")
    return options


def main() -> None:
    options = parse()
    pythons = {s: os.path.abspath(getattr(options, f"{s}_python")) for s in options.systems}
    for group in options.only:
        if group == "startup":
            result = run_startup(pythons, options)
        else:
            result = run_jobs(group, pythons, options)
        if not options.match:  # at once: a run of many groups may be cut off
            save(
                {group: {"date": str(date.today()), "machine": machine(), **result}}, options.output
            )


if __name__ == "__main__":
    main()
