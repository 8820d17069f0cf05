"""What a process of a cluster knows of the others: that they live, and what they agree on."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from runnel.core.values.errors import InternalError, UnavailableError
from runnel.distribute.cluster.messages import Line, Message, split_address

_PAUSE = 0.1  # seconds before a coordinator that is not there yet is asked again


class Roll:
    """The connection of one process with the coordinator of its cluster."""

    def __init__(self, address: str, process: int, names: Sequence[str], timeout: float) -> None:
        self.process, self.names = process, list(names)
        self._address = address
        self._changed = threading.Condition()
        self._failure: Message | None = None
        self._missing: list[int] | None = None
        self._welcome: Message | None = None
        self._agreed: dict[str, list[Any]] = {}
        self._claims: dict[str, bool] = {}
        self._finished: dict[str, str | None] = {}
        self._alarms: list[Callable[[], None]] = []
        self._heard = time.monotonic()
        self._left = False
        self.heartbeat = 0.0
        self._notes: dict[str, Any] = {}
        self._on_note: dict[str, Callable[[Any], None]] = {}
        end = time.monotonic() + timeout
        self._line = self._connected(end, timeout)
        self._line.send(hello=process, names=self.names)
        threading.Thread(target=self._listen, name="roll", daemon=True).start()
        try:
            self._await_all(end, timeout)
        except BaseException:
            self.leave()
            raise
        assert self._welcome is not None
        self.jax_address: str = self._welcome["welcome"]
        self.is_served: bool = self._welcome["served"]
        self.heartbeat = float(self._welcome["heartbeat"])
        self._heard = time.monotonic()
        threading.Thread(target=self._beat, name="heartbeat", daemon=True).start()

    def _connected(self, end: float, timeout: float) -> Line:
        host, port = split_address(self._address)
        while True:
            try:
                return Line(socket.create_connection((host, port), timeout=5))
            except OSError as error:
                if time.monotonic() > end:
                    message = (
                        f"{self.names[0]} does not answer at {self._address} for {timeout:g} "
                        f"seconds: {error}. Start all of {', '.join(self.names)}."
                    )
                    raise UnavailableError(None, None, message) from error
                time.sleep(_PAUSE)

    def _await_all(self, end: float, timeout: float) -> None:
        """Wait until every process has said hello."""
        with self._changed:
            while self._missing != []:
                left = end - time.monotonic()
                if self._failure is not None:
                    raise self.error()
                if left <= 0:
                    away = ", ".join(self.names[p] for p in self._missing or range(len(self.names)))
                    message = f"{away}: did not come within {timeout:g} seconds to {self._address}"
                    raise UnavailableError(None, None, message)
                self._changed.wait(left)

    def _listen(self) -> None:
        for message in self._line.messages():
            self._heard = time.monotonic()
            with self._changed:
                self._heed(message)
                self._changed.notify_all()
        self._fail({"coordinator": "the connection was closed"})

    def _heed(self, message: Message) -> None:
        match message:
            case {"agreed": key, "values": values}:
                self._agreed[key] = values
            case {"claim": key, "yours": yours}:
                self._claims[key] = yours
            case {"finished": key, "error": error}:
                self._finished[key] = error
            case {"note": key, "value": value}:
                self._notes[key] = value
                if key in self._on_note:
                    self._on_note[key](value)
            case {"missing": missing}:
                self._missing = missing
            case {"welcome": _}:
                self._welcome = message
            case {"gone": _} | {"differ": _} | {"refused": _}:
                self._fail(message)

    def _fail(self, failure: Message) -> None:
        with self._changed:
            if self._left or self._failure is not None:
                return
            self._failure = failure
            self._changed.notify_all()
            alarms, self._alarms = self._alarms, []
        for alarm in alarms:
            alarm()

    def _beat(self) -> None:
        while not self._left and self._failure is None:
            time.sleep(self.heartbeat / 5)
            self._line.send(beat=1)
            if time.monotonic() - self._heard > self.heartbeat:
                self._fail({"coordinator": f"no sign of life for {self.heartbeat:g} seconds"})

    @property
    def has_failed(self) -> bool:
        return self._failure is not None

    def on_failure(self, alarm: Callable[[], None]) -> None:
        """Have a function called, once, when another process has gone."""
        with self._changed:
            if self._failure is None:
                self._alarms.append(alarm)
                return
        alarm()

    def forget(self, alarm: Callable[[], None]) -> None:
        with self._changed:
            if alarm in self._alarms:
                self._alarms.remove(alarm)

    def error(self, seconds: float = 0.0) -> Exception:
        """What went wrong; if nothing did so far, it is waited for so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._failure is not None, seconds)
        match self._failure:
            case {"gone": process, "why": why}:
                who = "this process" if process == self.process else self.names[process]
                return UnavailableError(None, None, f"{who} {why}. {_WAY_OUT}")
            case {"differ": message}:
                return InternalError(None, None, message)
            case {"refused": why}:
                return ValueError(f"{self.names[self.process]} cannot join: {why}.")
            case {"coordinator": why}:
                message = f"The coordinator at {self._address} has gone: {why}. {_WAY_OUT}"
                return UnavailableError(None, None, message)
        return UnavailableError(None, None, f"Another process has gone. {_WAY_OUT}")

    def _wait(self, ready: Callable[[], bool], seconds: float | None = None) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: ready() or self._failure is not None, seconds):
                raise TimeoutError
            if not ready():
                raise self.error()

    def agree(self, key: str, value: Any, seconds: float | None = None) -> list[Any]:
        """What all processes say to a key; waits for all of them, so long as it may."""
        self.say(key, value)
        found = self.heard(key, seconds)
        del self._agreed[key]
        return found

    def say(self, key: str, value: Any) -> None:
        """Say to a key what this process has to, and go on."""
        self._line.send(agree=key, value=value)

    def heard(self, key: str, seconds: float | None = None) -> list[Any]:
        """What all processes said to a key; waits for all of them, so long as it may."""
        self._wait(lambda: key in self._agreed, seconds)
        return self._agreed[key]

    def claim(self, key: str) -> bool:
        """Whether this process is the first to ask for a key."""
        self._line.send(claim=key)
        self._wait(lambda: key in self._claims)
        return self._claims.pop(key)

    def finish(self, key: str, error: str | None) -> None:
        """Tell that what was claimed is done, or why not."""
        self._line.send(finished=key, error=error)

    def await_finished(self, key: str) -> None:
        """Wait until what another process claimed is done."""
        self._line.send(awaiting=key)
        self._wait(lambda: key in self._finished)
        error = self._finished.pop(key)
        if error is not None:
            message = f"Another process failed to do this for all: {error}"
            raise InternalError(None, None, message)

    def note(self, key: str, value: Any) -> None:
        """Say something to all processes, of which what is said first counts."""
        self._line.send(note=key, value=value)

    def on_note(self, key: str, heed: Callable[[Any], None]) -> None:
        """Have a function called when a process says something: in the thread that listens."""
        with self._changed:
            self._on_note[key] = heed
            if key in self._notes:
                heed(self._notes[key])

    def waits(self, number: int, key: str, what: str) -> None:
        """Say that this process waits for the others in an exchange."""
        self._line.send(at=number, key=key, what=what)

    def goes_on(self, number: int) -> None:
        self._line.send(past=number)

    def leave(self) -> None:
        """Say that this process needs nobody any more."""
        self._left = True
        self._line.send(leaving=1)
        self._line.close()


_WAY_OUT = (
    "What was being computed is lost: end all processes and start them again from the last "
    "checkpoint, as `python -m runnel.distribute` does by itself."
)
