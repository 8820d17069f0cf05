"""The launcher, with workers that are forked from a process that has imported what they need.

They are forked before the launcher begins, for its coordinator has threads; each then waits to be
told what it is. All else is as the launcher does it: environment, output, signals, exit codes.
"""

from __future__ import annotations

import json
import os
import runpy
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import jax  # noqa: F401  the workers need it

import runnel.keras  # noqa: F401
from runnel.distribute.cluster import launcher
from tests import children

_PAUSE = 0.005  # seconds between two looks whether a worker has ended

_PROGRAM = """
import json, sys
from tests.robustness.forked import launch
launch(int(sys.argv[1]), sys.argv[2:])
"""


def launched(
    arguments: Sequence[str], processes: int, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run the launcher, which starts at most so many processes, one after the other."""
    return children.run(_PROGRAM, str(processes), *arguments, timeout=timeout)


def launch(processes: int, arguments: Sequence[str]) -> None:
    """Be the launcher; ends the process."""
    unborn = [_Unborn() for _ in range(processes)]

    def start(command: Sequence[str], env: Mapping[str, str], **options: Any) -> _Worker:
        return _Worker(unborn.pop(0), command[1:], env)

    launcher.subprocess.Popen = start  # type: ignore[attr-defined]
    try:
        code = launcher.main(arguments)
    finally:
        for child in unborn:
            child.drop()
    sys.exit(code)


class _Unborn:
    """A process that waits to be told which program it is."""

    def __init__(self) -> None:
        own, its = socket.socketpair()
        self.pid = os.fork()
        if not self.pid:
            own.close()
            _live(its)
        its.close()
        self._line = own

    def be(self, command: Sequence[str], env: Mapping[str, str], files: Sequence[int]) -> None:
        said = json.dumps([command, dict(env)]).encode()
        socket.send_fds(self._line, [b"%8d" % len(said)], files)
        self._line.sendall(said)
        self._line.close()

    def drop(self) -> None:
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)


def _live(line: socket.socket) -> None:
    """The life of such a process, up to its end."""
    size, files, _, _ = socket.recv_fds(line, 8, 2)
    with line, line.makefile("rb") as told:
        command, env = json.loads(told.read(int(size)))
    for descriptor, file in enumerate(files, start=1):
        os.dup2(file, descriptor)
        os.close(file)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = list(command)
    runpy.run_path(command[0], run_name="__main__")
    sys.exit()


class _Worker:
    """What the launcher needs of `subprocess.Popen`."""

    def __init__(self, child: _Unborn, command: Sequence[str], env: Mapping[str, str]) -> None:
        self.pid, self.returncode = child.pid, None
        self._looking = threading.RLock()  # for threads that wait
        pipes = [os.pipe() for _ in range(2)]
        child.be(command, env, [writing for _, writing in pipes])
        for _, writing in pipes:
            os.close(writing)
        self.stdout, self.stderr = [os.fdopen(reading, errors="replace") for reading, _ in pipes]

    returncode: int | None

    def poll(self) -> int | None:
        with self._looking:
            if self.returncode is None:
                ended, status = os.waitpid(self.pid, os.WNOHANG)
                if ended:
                    self.returncode = os.waitstatus_to_exitcode(status)
            return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        end = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if end is not None and time.monotonic() > end:
                raise subprocess.TimeoutExpired([], timeout or 0.0)
            time.sleep(_PAUSE)
        return code

    def send_signal(self, number: int) -> None:
        with self._looking:
            if self.poll() is None:
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(9)
