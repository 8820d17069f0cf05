"""The signal by which a machine that is about to be taken away warns its programs."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any


class TerminationWarning:
    """Puts off `SIGTERM` until `obey`, so that there is time to save.

    Python hears signals in its main thread only; in others this does nothing.
    """

    def __init__(self) -> None:
        self.received = False
        self._before: Any = None
        self._listens = False
        self._needed: Callable[[], bool] = bool

    def listen(self, needed: Callable[[], bool]) -> None:
        """Note the signal instead of ending, as long as `needed()`."""
        self._needed = needed
        if threading.current_thread() is threading.main_thread() and not self._listens:
            self._before = signal.signal(signal.SIGTERM, self._note)
            self._listens = True

    def _note(self, number: int, frame: Any) -> None:
        self.received = True
        if not self._needed():  # nobody will ever ask: training ended with an error
            self.obey()

    def obey(self) -> None:
        """If the signal came, let it do now what it would have done."""
        if self.received:
            self.ignore()
            os.kill(os.getpid(), signal.SIGTERM)

    def ignore(self) -> None:
        """Leave the signal to whoever had it before."""
        if self._listens:
            signal.signal(signal.SIGTERM, self._before)
            self._listens = False
