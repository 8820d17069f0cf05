"""Jobs in the background are done in turn, and dropped when the program ends."""

from __future__ import annotations

import subprocess
import sys

from runnel.backend.meanwhile import background

PROGRAM = f"""
import runpy, threading
add = runpy.run_path({background.__file__!r})["add"]
begun = threading.Event()
def first():
    begun.set()
    threading.main_thread().join()
    print("first")
add([first, lambda: print("second")])
begun.wait(60)
"""


def test_jobs_are_done_in_turn() -> None:
    done: list[int] = []
    for start in (0, 3):
        background.add([lambda n=n: done.append(n) for n in range(start, start + 3)])  # type: ignore[misc]
        background.wait()
    assert done == list(range(6))


def test_the_end_of_a_program_waits_for_the_job_at_hand_alone() -> None:
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("first\n", "")
