"""Something done every few seconds beside a training."""

from __future__ import annotations

import logging
import threading
from typing import Any


class TimedThread:
    """A thread that calls `on_interval` every `interval` seconds until it is stopped."""

    def __init__(self, interval: float, **kwargs: Any) -> None:
        self.interval = interval
        self.daemon = kwargs.pop("daemon", True)
        self.thread_kwargs = kwargs
        self.thread: threading.Thread | None = None
        self.thread_stop_event = threading.Event()

    def start(self) -> None:
        """Begin; a second start while it runs does nothing."""
        if self.is_alive():
            logging.getLogger("absl").warning("The thread is running already.")
            return
        self.thread_stop_event = threading.Event()
        self.thread = threading.Thread(
            target=self._repeat, daemon=self.daemon, **self.thread_kwargs
        )
        self.thread.start()

    def stop(self) -> None:
        """End after the current call."""
        self.thread_stop_event.set()

    def is_alive(self) -> bool:
        """Whether the thread runs."""
        return self.thread is not None and self.thread.is_alive()

    def on_interval(self) -> None:
        """What is done every few seconds; subclasses say."""
        raise NotImplementedError(f"{type(self).__name__} must implement `on_interval`.")

    def __enter__(self) -> TimedThread:
        self.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self.stop()

    def _repeat(self) -> None:
        stop = self.thread_stop_event
        while not stop.is_set():
            self.on_interval()
            stop.wait(self.interval)
