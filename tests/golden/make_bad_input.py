"""Ask TensorFlow what comes of the bad calls in tests/samples/bad_input.py (run with its Python).

python tests/golden/make_bad_input.py                 # all functions
python tests/golden/make_bad_input.py concat nn.relu  # some; the others' outcomes stay

The calls run in a process of their own: one that crashes or hangs TensorFlow is recorded as
"crash".
"""

from __future__ import annotations

import json
import os
import pathlib
import queue
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

from tests.samples.bad_input import cases, run
from tests.samples.good_calls import Case

PATH = HERE / "bad_input.json"
PATIENCE = 60.0  # seconds for the import and for each call


def work(start: int, wanted: list[str]) -> None:
    """Print the outcomes from case `start` on, one a line."""
    import tensorflow as tf

    for case in chosen(wanted)[start:]:
        print("outcome:" + run(tf, case)[0], flush=True)


def chosen(wanted: list[str]) -> list[Case]:
    return [case for case in cases() if not wanted or case.symbol in wanted]


def outcomes(start: int, wanted: list[str]) -> list[str]:
    """The outcomes of one process, until it is done, crashes or hangs."""
    command = [sys.executable, __file__, "--work", str(start), *wanted]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        for line in process.stdout or ():
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    found: list[str] = []
    try:
        while (line := lines.get(timeout=PATIENCE)) is not None:
            if line.startswith("outcome:"):
                found.append(line.strip().removeprefix("outcome:"))
    except queue.Empty:
        pass
    process.kill()
    process.wait()
    return found


def main(wanted: list[str]) -> None:
    table = chosen(wanted)
    found: list[str] = []
    while len(found) < len(table):
        found += outcomes(len(found), wanted)
        if len(found) < len(table):
            case = table[len(found)]
            print(f"crash: {case.symbol} {case.id}", flush=True)
            found.append("crash")
    answers = json.loads(PATH.read_text()) if wanted and PATH.exists() else {}
    for case in table:
        answers.pop(case.symbol, None)
    for case, outcome in zip(table, found, strict=True):
        answers.setdefault(case.symbol, {})[case.id] = outcome
    PATH.write_text(json.dumps(answers, indent=0, sort_keys=True) + "\n")
    print(f"{len(table)} outcomes")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(int(sys.argv[2]), sys.argv[3:])
    else:
        main(sys.argv[1:])
