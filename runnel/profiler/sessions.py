"""Beginning and ending a profile: the events of XLA and Python, in files for TensorBoard."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any, NamedTuple

from runnel.backend.jax import jax
from runnel.core.values.errors import AlreadyExistsError, UnavailableError


class ProfilerOptions(NamedTuple):
    """How much to record: levels of detail, 0 for nothing."""

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Session:
    """The one profile that may run in a process; its files wait in a folder until it ends."""

    logdir: str | None = None
    waiting: str | None = None


def is_running() -> bool:
    """Whether a profile is being recorded."""
    return _Session.waiting is not None


def start(logdir: Any, options: ProfilerOptions | None = None) -> None:
    """Begin to record; `stop` writes the profile below `logdir`.

    >>> import os, tempfile
    >>> logs = tempfile.mkdtemp()
    >>> tf.profiler.experimental.start(logs)
    >>> tf.profiler.experimental.stop()
    >>> os.listdir(os.path.join(logs, "plugins"))
    ['profile']
    """
    if _Session.waiting is not None:
        raise AlreadyExistsError(None, None, "Another profiler is running.")
    options = options or ProfilerOptions()
    if options.delay_ms is not None:
        raise NotImplementedError("tf.profiler.experimental.start: options.delay_ms")
    kept = jax.profiler.ProfileOptions()
    kept.host_tracer_level = options.host_tracer_level
    kept.python_tracer_level = options.python_tracer_level
    if hasattr(kept, "device_tracer_level"):  # JAX had it up to 0.10
        kept.device_tracer_level = options.device_tracer_level
    waiting = tempfile.mkdtemp(prefix="profile")
    jax.profiler.start_trace(waiting, profiler_options=kept)
    _Session.logdir, _Session.waiting = os.fspath(logdir), waiting


def stop(save: bool = True) -> None:
    """End the profile and write it, unless `save` is false."""
    waiting, logdir = _Session.waiting, _Session.logdir
    if waiting is None or logdir is None:
        raise UnavailableError(
            None, None, "Cannot export profiling results. No profiler is running."
        )
    _Session.waiting = _Session.logdir = None
    try:
        jax.profiler.stop_trace()
        if save:
            shutil.copytree(waiting, logdir, dirs_exist_ok=True)
    finally:
        shutil.rmtree(waiting, ignore_errors=True)


class Profile:
    """Records what runs inside `with`.

    >>> import os, tempfile
    >>> logs = tempfile.mkdtemp()
    >>> with tf.profiler.experimental.Profile(logs):
    ...     _ = tf.ones([2]) + 1
    >>> os.listdir(logs)
    ['plugins']
    """

    def __init__(self, logdir: Any, options: ProfilerOptions | None = None) -> None:
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *error: Any) -> None:
        stop()
