"""Lines on the terminal about work that takes long."""

from __future__ import annotations

import io
import sys
import threading

import pytest

from runnel.core.settings import progress
from runnel.core.settings.progress import Working, tells


class Terminal(io.StringIO):
    """Where somebody looks; tells when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.written.set()
        return super().write(text)


def test_long_work_tells_how_far_it_is_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", terminal)
    with Working("Dataset.save to x", 2000, "elements") as work:
        work.done = 1500
        assert terminal.written.wait(30)
    shown, wiped = terminal.getvalue().split("\r")[1], terminal.getvalue().split("\r")[-2]
    assert "Dataset.save to x, 0 s" in shown
    assert not wiped.strip() and len(wiped) >= len(shown)
    assert work.line(3.0) == "Dataset.save to x, 3 s: 1,500 of 2,000 elements"


def test_nothing_is_told_in_logs_and_of_short_work(monkeypatch: pytest.MonkeyPatch) -> None:
    @tells("Loading")
    def load(path: str) -> str:
        return path

    log, terminal = io.StringIO(), Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert load("a") == load(path="a") == "a"
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with Working("nothing"):
        assert threading.active_count() < 50
    assert log.getvalue() == terminal.getvalue() == ""
