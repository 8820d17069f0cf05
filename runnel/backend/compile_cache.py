"""Compiled programs kept on disk, so that the next run of a program need not compile them again.

It is JAX's persistent compilation cache in a directory of the user: `runnel` in `XDG_CACHE_HOME` or
`~/.cache`. `RUNNEL_CACHE_DIR` names another one, or switches the cache off if it is empty or "off".
Whoever has told JAX where to keep its cache is left alone. Programs that took less than a few
hundredths of a second are not worth a file; the least recently used go when there are too many.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import math
import os
import platform
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from runnel.backend import compiling, interrupts

_VARIABLE = "RUNNEL_CACHE_DIR"
_WORTH_KEEPING = 0.03  # seconds of compiling
_LARGEST = 1 << 30  # bytes
_OFF = ("", "0", "off", "none")


def enable(jax: Any) -> None:
    """Let JAX keep what it compiles, unless it or we were told otherwise."""
    _let_out_what_strikes()
    if jax.config.jax_compilation_cache_dir is not None:
        return
    folder = directory(jax.lib.__version__)
    if folder is None:
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        trim(folder, _LARGEST)
    except OSError:
        return  # a home that cannot be written to
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", _WORTH_KEEPING)


def _let_out_what_strikes() -> None:
    """JAX takes every error that is raised meanwhile for one of its files, and goes on."""
    with contextlib.suppress(AttributeError, ImportError):  # another JAX
        compiler: Any = importlib.import_module("jax._src.compiler")
        raises = compiler._should_raise_persistent_cache_error
        compiler._should_raise_persistent_cache_error = lambda error: (
            interrupts.is_from_outside(error) or raises(error)
        )


class _Thread(threading.local):
    """Whether the program that a thread compiled last was to be left out of the cache."""

    skips = False


_thread = _Thread()


def skip() -> None:
    """Keep nothing of the program that this thread compiles.

    JAX cannot write those with kernels of oneDNN to a file: it reads memory that is not its own
    when it tries to. And it cannot read programs of a thousand kernels, which it links to each
    other by calls inside calls until its stack has no more room.
    """
    try:
        config = importlib.import_module("jax._src.config")
        config.persistent_cache_min_compile_time_secs.set_local(math.inf)
    except (AttributeError, ImportError):  # another JAX: `onednn` is not used with it either
        return
    _thread.skips = True


def _skip_no_more() -> None:
    if _thread.skips:
        config = importlib.import_module("jax._src.config")
        config.persistent_cache_min_compile_time_secs.set_local(config.config_ext.unset)
        _thread.skips = False


def as_chosen_here(job: Callable[[], None]) -> Callable[[], None]:
    """`job`, which compiles in another thread what this thread has traced last."""
    skips = _thread.skips

    def chosen() -> None:
        skip() if skips else _skip_no_more()
        job()

    return chosen


def considered(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, to be compiled; from its tracing on it is not skipped unless `skip` is called anew."""

    @compiling.noted
    @functools.wraps(fn)
    def traced(*args: Any) -> Any:
        _skip_no_more()
        return fn(*args)

    return traced


def directory(version: str) -> Path | None:
    """Where programs of this version of the compiler are kept for this kind of processor."""
    chosen = os.environ.get(_VARIABLE)
    if chosen is not None and chosen.lower() in _OFF:
        return None
    try:
        base = (
            Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or _home(), "runnel")
        )
    except RuntimeError:  # there is no home
        return None
    return base / f"xla-{version}-{_processor()}"


def _home() -> Path:
    return Path.home() / ".cache"


def _processor() -> str:
    """A short name of what the processor can do: a program for one may crash on another."""
    features = platform.machine() + platform.processor()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            features += next((line for line in file if line.startswith(("flags", "Features"))), "")
    except OSError:
        pass  # not Linux
    return hashlib.sha256(features.encode()).hexdigest()[:12]


def trim(folder: Path, limit: int) -> None:
    """Delete the files that were used least recently, down to `limit` bytes in all."""
    files = [(entry.stat(), entry.path) for entry in os.scandir(folder) if entry.is_file()]
    excess = sum(stat.st_size for stat, _ in files) - limit
    for stat, path in sorted(files, key=lambda pair: max(pair[0].st_atime, pair[0].st_mtime)):
        if excess <= 0:
            return
        Path(path).unlink(missing_ok=True)
        excess -= stat.st_size
