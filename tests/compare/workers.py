"""The two processes that answer programs.

As a script: read a program a line, and write its answer; the argument names the module.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
KINDS = ("calls", "models", "pipelines")
_DEADLINE = 60.0  # seconds for an answer, with the import of TensorFlow
_PATIENCE = 8.0  # seconds for a program, as long as Python notices
_TURN = 4000  # programs that a process answers before another takes its place
_MEMORY = 12 << 30


def kind_of(name: str) -> Any:
    """The module that makes and answers programs of a kind."""
    return importlib.import_module(f"tests.compare.{name}")


class Worker:
    """A process with one of the two modules."""

    def __init__(self, python: str, module: str) -> None:
        self._command = [python, "-m", "tests.compare.workers", module]
        self._process: subprocess.Popen[str] | None = None
        self._answered = 0

    def answer(self, program: Any) -> Any:
        """What a program answers; "hangs" or "dies" if nothing comes."""
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(program) + "\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], _DEADLINE)[0]:
            self.stop()
            return "hangs"
        line = process.stdout.readline()
        if not line:
            self.stop()
            return "dies"
        self._answered += 1
        if self._answered % _TURN == 0:
            self.stop()
        return json.loads(line)

    def _start(self) -> subprocess.Popen[str]:
        env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            self._command,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env=env,
        )
        return self._process

    def stop(self) -> None:
        """End the process; the next program starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


class Slow(BaseException):
    """A program took longer than it may."""


def _give_up(*_: Any) -> None:
    raise Slow


def main(module: str) -> None:
    """Answer programs until there are no more."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    signal.signal(signal.SIGALRM, _give_up)
    warnings.simplefilter("ignore")
    out = os.fdopen(os.dup(1), "w")
    with contextlib.redirect_stdout(sys.stderr):
        tf = importlib.import_module(module)
        for line in sys.stdin:
            asked = json.loads(line)
            out.write(json.dumps(_answered(tf, asked["kind"], asked["program"])) + "\n")
            out.flush()


def _answered(tf: Any, kind: str, program: Any) -> Any:
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE)
    try:
        return kind_of(kind).answer(tf, program)
    except Slow:
        return "slow"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    main(sys.argv[1])
