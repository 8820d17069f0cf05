"""What a hook is: it sees each run of a session, before and after."""

from __future__ import annotations

import time
from typing import Any, NamedTuple


class SessionRunArgs(NamedTuple):
    """What a hook wants of a run besides what the program wants."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What a run gave a hook."""

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """What a hook knows of a run, and how it asks for an end."""

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args, self._session = original_args, session
        self._stop_requested = False

    original_args = property(lambda self: self._original_args)
    session = property(lambda self: self._session)
    stop_requested = property(lambda self: self._stop_requested)

    def request_stop(self) -> None:
        """Let this run be the last."""
        self._stop_requested = True


class SessionRunHook:
    """The base of hooks: each method does nothing, and a subclass has those it needs."""

    def begin(self) -> None:
        """Called once, while the graph can still be changed."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called when there is a new session."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Called before each run: what else is to be run."""
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Called after each run."""

    def end(self, session: Any) -> None:
        """Called at the end, unless there was an error."""


class SecondOrStepTimer:
    """Whether something is due again, by seconds or by steps."""

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Begin again: the next step is due."""
        self._last: int | None = None
        self._when: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is due at a step."""
        if self._last is None:
            return True
        if self._last == step:
            return False
        if self._every_secs is not None:
            return time.time() >= (self._when or 0.0) + self._every_secs
        assert self._every_steps is not None
        return step >= self._last + self._every_steps

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """It is done at a step: how long ago, in seconds and steps, it was done before."""
        now = time.time()
        if self._last is None or self._when is None:
            passed: tuple[float | None, int | None] = (None, None)
        else:
            passed = (now - self._when, step - self._last)
        self._when, self._last = now, step
        return passed

    def last_triggered_step(self) -> int | None:
        """The step at which it was done last."""
        return self._last
