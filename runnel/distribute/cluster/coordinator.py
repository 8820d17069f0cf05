"""Where the processes of a cluster meet: who is there, what they agree on, who has gone.

It trains nothing and outlives every process that does: the launcher holds it, or a process of its
own that the first worker starts. All that passes through it is short: a sign of life now and then,
a few lines before a program is run for the first time.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Sequence
from typing import Any

from runnel.backend.processes import joining
from runnel.distribute.cluster.messages import Line, Message, split_address


class Coordinator:
    """Listens at one address for so many processes, known by their names.

    A process whose connection ends, or that gives no sign of life for `heartbeat` seconds, has
    gone: all others are told, once.
    """

    def __init__(self, address: str, names: Sequence[str], heartbeat: float) -> None:
        self._names, self._heartbeat = list(names), heartbeat
        host, port = split_address(address)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=len(names) + 8)
        self.address = f"{host}:{self._socket.getsockname()[1]}"
        self._lock = threading.RLock()
        self._lines: dict[int, Line] = {}
        self._heard: dict[int, float] = {}
        self._left: set[int] = set()
        self._answers: dict[str, dict[int, Any]] = {}
        self._chores: dict[str, _Chore] = {}
        self._waiting: dict[int, tuple[int, str, str]] = {}
        self._notes: dict[str, Any] = {}
        self.failure: Message | None = None
        self.met = threading.Event()  # somebody has come
        self.done = threading.Event()  # all processes have left or gone
        self._service, self._jax_address = _jax_service(host, len(names))
        for target in (self._accept, self._watch):
            threading.Thread(target=target, name="coordinator", daemon=True).start()

    def close(self) -> None:
        self.done.set()
        self._socket.close()
        with self._lock:
            lines = list(self._lines.values())
        for line in lines:
            line.close()
        if self._service is not None:
            self._service.shutdown()
            self._service = None

    def fail(self, process: int, why: str) -> None:
        """Tell all that a process has gone."""
        with self._lock:
            if self.failure is None and process not in self._left:
                self.failure = {"gone": process, "why": why}
                self._tell_all(**self.failure)

    def note(self, key: str, value: Any) -> None:
        """Tell all processes something that one of them has to say; the first to say it counts."""
        with self._lock:
            if key not in self._notes:
                self._notes[key] = value
                self._tell_all(note=key, value=value)

    def _tell_all(self, **message: Any) -> None:
        for line in list(self._lines.values()):
            line.send(**message)

    def _accept(self) -> None:
        while not self.done.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            line = Line(connection)
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _watch(self) -> None:
        while not self.done.wait(self._heartbeat / 5):
            now = time.monotonic()
            with self._lock:
                self._tell_all(beat=1)
                late = [p for p, heard in self._heard.items() if now - heard > self._heartbeat]
                for process in late:
                    why = f"gave no sign of life for {self._heartbeat:g} seconds"
                    self.fail(process, why)
                    self._lines[process].close()  # nobody waits for it any more

    def _serve(self, line: Line) -> None:
        process: int | None = None
        for message in line.messages():
            if process is None:
                process = self._met(line, message)
                if process is None:
                    line.close()
                    return
            else:
                with self._lock:
                    self._heard[process] = time.monotonic()
                    self._heed(process, line, message)
        if process is not None:
            with self._lock:
                self._heard.pop(process, None)
                self._lines.pop(process, None)
                self.fail(process, "has ended: its connection was closed")
                if not self._lines:
                    self.done.set()

    def _met(self, line: Line, message: Message) -> int | None:
        """The process that says hello, unless it is none of this cluster."""
        process, names = message.get("hello"), message.get("names")
        with self._lock:
            if names != self._names:
                line.send(refused=f"the cluster of this coordinator is {self._names}, not {names}")
                return None
            if not isinstance(process, int) or process in self._lines or process in self._left:
                line.send(refused=f"{self._name(process)} is there already")
                return None
            self._lines[process] = line
            self.met.set()
            self._heard[process] = time.monotonic()
            line.send(
                welcome=self._jax_address,
                served=self._service is not None,
                heartbeat=self._heartbeat,
            )
            if self.failure is not None:
                line.send(**self.failure)
            missing = set(range(len(self._names))) - set(self._lines) - self._left
            self._tell_all(missing=sorted(missing))
            for key, value in self._notes.items():
                line.send(note=key, value=value)
        return process

    def _name(self, process: Any) -> str:
        known = isinstance(process, int) and 0 <= process < len(self._names)
        return self._names[process] if known else f"process {process!r}"

    def _heed(self, process: int, line: Line, message: Message) -> None:
        match message:
            case {"agree": key, "value": value}:
                self._agree(process, key, value)
            case {"claim": key}:
                line.send(claim=key, yours=key not in self._chores)
                self._chores.setdefault(key, _Chore())
            case {"awaiting": key}:
                self._chores[key].wait(line, key)
            case {"finished": key, "error": error}:
                self._chores[key].finish(key, error)
            case {"note": key, "value": value}:
                self.note(key, value)
            case {"at": number, "key": key, "what": what}:
                self._wait(process, number, key, what)
            case {"past": _}:
                self._waiting.pop(process, None)
            case {"leaving": _}:
                self._waiting.pop(process, None)
                self._left.add(process)
                self._check_left()

    def _agree(self, process: int, key: str, value: Any) -> None:
        answers = self._answers.setdefault(key, {})
        answers[process] = value
        if len(answers) == len(self._names):
            del self._answers[key]
            values = [answers[number] for number in range(len(self._names))]
            self._tell_all(agreed=key, values=values)
        self._check_left()

    def _wait(self, process: int, number: int, key: str, what: str) -> None:
        """A process waits for the others in its exchange of this number."""
        self._waiting[process] = (number, key, what)
        for other, (count, its, told) in self._waiting.items():
            if count == number and its != key:
                self._differ(process, what, other, told, number)
        self._check_left()

    def _differ(self, process: int, what: str, other: int, its: str, number: int) -> None:
        message = (
            f"the programs differ: in exchange {number}, {self._name(process)} has {what}, and "
            f"{self._name(other)} has {its}. All processes must run the same program."
        )
        if self.failure is None:
            self.failure = {"differ": message}
            self._tell_all(**self.failure)

    def _check_left(self) -> None:
        """Whoever has left will not come to what the others wait for."""
        if self.failure is not None:
            return
        for gone in sorted(self._left):
            if self._waiting or any(gone not in given for given in self._answers.values()):
                why = "has come to the end of its program, while others wait for it"
                self.failure = {"gone": gone, "why": why}
                self._tell_all(**self.failure)
                return


class _Chore:
    """Something that is done once, by whoever claims it first; the others wait for it."""

    def __init__(self) -> None:
        self._result: Message | None = None
        self._waiting: list[Line] = []

    def wait(self, line: Line, key: str) -> None:
        if self._result is not None:
            line.send(**self._result)
        else:
            self._waiting.append(line)

    def finish(self, key: str, error: str | None) -> None:
        self._result = {"finished": key, "error": error}
        for line in self._waiting:
            line.send(**self._result)


def _jax_service(host: str, count: int) -> tuple[Any, str]:
    """JAX's service on a port that is free, and its address."""
    for attempt in range(5):
        with socket.create_server((host, 0)) as probe:
            address = f"{host}:{probe.getsockname()[1]}"
        try:
            return joining.serve(address, count), address
        except Exception:
            if attempt == 4:
                raise
    raise AssertionError("the loop above returns or raises")
