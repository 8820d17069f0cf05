"""Starts the processes of a program on this machine, and starts all of them again if one dies.

`python -m runnel.distribute --workers 4 script.py` says to each process who the others are
(`TF_CONFIG`), holds their coordinator, and prints what they write with their numbers in front. A
process that dies or falls silent ends the attempt: the others raise an error, and the next attempt
goes on from the last checkpoint, which the script restores at its start.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from runnel.distribute.cluster.coordinator import Coordinator
from runnel.distribute.cluster.meeting import COORDINATOR, HEARTBEAT, TIMEOUT

_LOOKING = 0.2  # seconds between two looks at the coordinator
_printing = threading.Lock()


def arguments(given: Sequence[str]) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m runnel.distribute",
        description="Run a script in several processes, which train together.",
    )
    add = parser.add_argument
    add("--workers", type=int, required=True, help="how many processes")
    add("--min-workers", type=int, help="go on with fewer, if the same one dies twice in a row")
    add("--max-restarts", type=int, default=3, help="how often all are started again (%(default)s)")
    add("--heartbeat", type=float, default=10.0, help="silent for so many seconds is dead (10)")
    add("--start-timeout", type=float, default=300.0, help="seconds to wait for each other (300)")
    add("--grace", type=float, default=5.0, help="seconds to end in, once one has died (5)")
    add("--host", default="127.0.0.1", help="where to listen (%(default)s)")
    add("-m", dest="module", action="store_true", help="`script` is a module")
    add("script", help="the program")
    add("args", nargs=argparse.REMAINDER, help="its arguments")
    found = parser.parse_args(given)
    if found.workers < 1:
        parser.error(f"--workers must be at least 1, got {found.workers}")
    if found.min_workers is None:
        found.min_workers = found.workers
    if not 1 <= found.min_workers <= found.workers:
        parser.error(f"--min-workers must be from 1 to {found.workers}, got {found.min_workers}")
    for name in ("heartbeat", "start_timeout", "grace"):
        if getattr(found, name) <= 0:
            parser.error(f"--{name.replace('_', '-')} must be positive")
    if found.max_restarts < 0:
        parser.error("--max-restarts must not be negative")
    if not found.module and not os.path.isfile(found.script):
        parser.error(f"there is no script {found.script!r}")
    return found


def main(given: Sequence[str] | None = None) -> int:
    """Run attempts until one succeeds, or there were too many; the exit code."""
    options = arguments(sys.argv[1:] if given is None else given)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # JAX's service tells of every step
    workers, before = options.workers, None
    for attempt in range(options.max_restarts + 1):
        dead, code = _Attempt(options, workers, attempt).run()
        if dead is None:
            return code
        if attempt == options.max_restarts:
            _say(f"{dead} {_ending(code)}; gave up after {attempt} restarts")
            return code if code > 0 else 128 - code
        if dead == before and workers > options.min_workers:
            workers -= 1
        before = dead
        _say(
            f"{dead} {_ending(code)}; starting {workers} workers again from the last checkpoint "
            f"({attempt + 1} of {options.max_restarts})"
        )
    raise AssertionError("the last attempt returns")


class _Attempt:
    """One run of all processes, to its end or to the first death."""

    def __init__(self, options: argparse.Namespace, workers: int, number: int) -> None:
        self._options, self._number = options, number
        self._names = [f"worker {i}" for i in range(workers)]
        self._ended: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
        self._told: int | None = None  # the signal that the launcher got

    def run(self) -> tuple[str | None, int]:
        """Who died, and its exit code; None if nobody has, or the launcher was told to end."""
        options = self._options
        coordinator = Coordinator(f"{options.host}:0", self._names, options.heartbeat)
        addresses = _free_addresses(options.host, len(self._names))
        children = [
            self._start(number, addresses, coordinator.address)
            for number in range(len(self._names))
        ]
        handlers = {s: signal.signal(s, self._signalled) for s in (signal.SIGINT, signal.SIGTERM)}
        try:
            return self._watch(children, coordinator)
        finally:
            _end(children, 0.0)
            coordinator.close()
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def _signalled(self, number: int, frame: Any) -> None:
        self._told = number

    def _start(self, number: int, addresses: list[str], coordinator: str) -> subprocess.Popen[str]:
        options = self._options
        task = {"type": "worker", "index": number}
        environment = {
            **os.environ,
            "TF_CONFIG": json.dumps({"cluster": {"worker": addresses}, "task": task}),
            COORDINATOR: coordinator,
            HEARTBEAT: str(options.heartbeat),
            TIMEOUT: str(options.start_timeout),
            "RUNNEL_ATTEMPT": str(self._number),
            "PYTHONUNBUFFERED": "1",
        }
        script = ["-m", options.script] if options.module else [options.script]
        child = subprocess.Popen(
            [sys.executable, *script, *options.args],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        assert child.stdout is not None and child.stderr is not None
        writers = [
            _background(_forward, pipe, target, self._names[number])
            for pipe, target in ((child.stdout, sys.stdout), (child.stderr, sys.stderr))
        ]
        _background(self._await, number, child, writers)
        return child

    def _await(
        self, number: int, child: subprocess.Popen[str], writers: list[threading.Thread]
    ) -> None:
        code = child.wait()
        for writer in writers:
            writer.join(timeout=5)  # a grandchild may keep the pipe
        self._ended.put((number, code))

    def _watch(
        self, children: list[subprocess.Popen[str]], coordinator: Coordinator
    ) -> tuple[str | None, int]:
        left = set(range(len(children)))
        while left:
            try:
                number, code = self._ended.get(timeout=_LOOKING)
            except queue.Empty:
                failure = coordinator.failure
                if failure is not None and "gone" in failure:
                    silent = failure["gone"]
                    if children[silent].poll() is None:  # it is there, but does not answer
                        _say(f"{self._names[silent]} {failure['why']}")
                        _end([children[silent]], 0.0)
                if self._told is not None:
                    _end(children, self._options.grace)
                    return None, 128 + self._told
                continue
            left.discard(number)
            if code != 0:
                _end(children, self._options.grace, ask=self._told is not None)
                if self._told is not None:
                    return None, 128 + self._told
                return self._first_dead(number, code, coordinator, children)
        return None, 0

    def _first_dead(
        self, number: int, code: int, coordinator: Coordinator, children: list[Any]
    ) -> tuple[str, int]:
        """Who began it: others that end with an error after that are not to blame."""
        failure = coordinator.failure or {}
        gone = failure.get("gone", number)
        its = children[gone].poll()
        return (self._names[gone], its) if its else (self._names[number], code)


def _background(target: Callable[..., Any], *args: Any) -> threading.Thread:
    thread = threading.Thread(target=target, args=args, daemon=True)
    thread.start()
    return thread


def _free_addresses(host: str, count: int) -> list[str]:
    """Addresses that nobody listens at, as names for processes."""
    probes = [socket.create_server((host, 0)) for _ in range(count)]
    found = [f"{host}:{probe.getsockname()[1]}" for probe in probes]
    for probe in probes:
        probe.close()
    return found


def _forward(pipe: TextIO, target: TextIO, name: str) -> None:
    for line in pipe:
        with _printing:
            target.write(f"[{name}] {line}" if line.endswith("\n") else f"[{name}] {line}\n")
            target.flush()


def _say(text: str) -> None:
    with _printing:
        print(f"[launcher] {text}", file=sys.stderr, flush=True)


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


def _end(children: Sequence[Any], grace: float, ask: bool = True) -> None:
    """See to it that processes end, within `grace` seconds if they do so by themselves."""
    alive = [child for child in children if child.poll() is None]
    if ask and grace:
        for child in alive:
            child.send_signal(signal.SIGTERM)
    end = time.monotonic() + grace
    for child in alive:
        try:
            child.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
