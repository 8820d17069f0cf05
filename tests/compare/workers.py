"""The two processes that answer programs.

As a script: import a module, and let a fork of this process answer programs, one a line. What
crashes is a fork, and the next one is there at once.
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
import time
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
KINDS = ("calls", "models", "pipelines")
_START = 180.0  # seconds for the import of TensorFlow
_PATIENCE = 8.0  # seconds of processor time for a program
_DEADLINE = 40.0  # seconds for a program, whatever it waits for
_TURN = 2000  # programs that a process answers before another takes its place
_RENEWED = 7  # the status of a process whose turn is over
_MEMORY = 12 << 30


def kind_of(name: str) -> Any:
    """The module that makes and answers programs of a kind."""
    return importlib.import_module(f"tests.compare.{name}")


class Worker:
    """A process with one of the two modules, and the fork that answers."""

    def __init__(self, python: str, module: str) -> None:
        self._command = [python, "-m", "tests.compare.workers", module]
        self._process: subprocess.Popen[bytes] | None = None
        self._read = b""
        self._answers = 0  # the process that answers

    def answer(self, program: Any) -> Any:
        """What a program answers; "hangs" or "dies" if nothing comes."""
        process = self._process or self._start()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(program).encode() + b"\n")
            process.stdin.flush()
            return self._heard()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._answers, signal.SIGKILL)
                self._heard()  # that it died
            return "hangs"
        except (BrokenPipeError, EOFError):
            self.stop()
            return "dies"

    def _heard(self) -> Any:
        stop = time.monotonic() + (_DEADLINE if self._answers else _START)
        while isinstance(said := json.loads(self._line(stop)), dict) and "answers" in said:
            self._answers = said["answers"]
        return said

    def _line(self, stop: float) -> bytes:
        assert self._process is not None and self._process.stdout is not None
        while b"\n" not in self._read:
            left = stop - time.monotonic()
            if left < 0 or not select.select([self._process.stdout], [], [], left)[0]:
                raise TimeoutError
            more = os.read(self._process.stdout.fileno(), 1 << 16)
            if not more:
                raise EOFError
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line

    def _start(self) -> subprocess.Popen[bytes]:
        env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)}
        pipe, self._read = subprocess.PIPE, b""
        self._process = subprocess.Popen(
            self._command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, cwd=ROOT, env=env
        )
        return self._process

    def stop(self) -> None:
        """End both processes; the next program starts others."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                if self._answers:
                    os.kill(self._answers, signal.SIGKILL)
            self._process.kill()
            self._process.communicate()
            self._process, self._answers = None, 0


class Slow(BaseException):
    """A program took longer than it may."""


def _give_up(*_: Any) -> None:
    raise Slow


def main(module: str) -> None:
    """Let forks answer programs until there are no more."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    warnings.simplefilter("ignore")
    out = os.fdopen(os.dup(1), "w")
    with contextlib.redirect_stdout(sys.stderr):
        tf = importlib.import_module(module)
        while (status := _forked(tf, out)) != 0:
            if status != _RENEWED:
                _say(out, "dies")


def _forked(tf: Any, out: Any) -> int:
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        signal.signal(signal.SIGPROF, _give_up)
        _say(out, {"answers": os.getpid()})
        for number, line in enumerate(sys.stdin, 1):
            asked = json.loads(line)
            _say(out, _answered(tf, asked["kind"], asked["program"]))
            if number == _TURN:
                os._exit(_RENEWED)
        os._exit(0)
    finally:
        os._exit(1)


def _say(out: Any, what: Any) -> None:
    out.write(json.dumps(what) + "\n")
    out.flush()


def _answered(tf: Any, kind: str, program: Any) -> Any:
    signal.setitimer(signal.ITIMER_PROF, _PATIENCE)
    try:
        return kind_of(kind).answer(tf, program)
    except Slow:
        return "slow"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    main(sys.argv[1])
