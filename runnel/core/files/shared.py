"""Files that several processes write at once, of which one is written.

All processes of a program that trains together may save: whoever comes first does it, the others
wait until that is done.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from runnel.core.files.files import join


class Others(Protocol):
    """The other processes of a program."""

    def claim(self, key: str) -> bool:
        """Whether this process is the first to ask for a key."""

    def finish(self, key: str, error: str | None) -> None:
        """Tell that what was claimed is done, or why not."""

    def await_finished(self, key: str) -> None:
        """Wait until it is done; an error if it was not."""


class _Program:
    """The processes that this one works with, and how often it wrote each path."""

    others: Others | None = None
    times: Counter[str] = Counter()


program = _Program()


def _key(path: str) -> str:
    path = os.path.abspath(path) if "://" not in path else path
    program.times[path] += 1
    return f"write {path} {program.times[path]}"


def once_for_all(path: str, work: Callable[[], None]) -> None:
    """Do what writes or removes a path, in one of all processes; return when it is done."""
    if program.others is None:
        work()
        return
    key = _key(path)
    if program.others.claim(key):
        with _finishing(program.others, key):
            work()
    else:
        program.others.await_finished(key)


@contextmanager
def shared_place(path: str) -> Iterator[str]:
    """Where to write what belongs to a path: in all processes but one, a place that is thrown away.

    So all of them read the same variables on the way, which they may have to do together.
    """
    others = program.others
    if others is None:
        yield path
        return
    key = _key(path)
    if others.claim(key):
        with _finishing(others, key):
            yield path
        return
    folder = tempfile.mkdtemp(prefix="runnel-")
    try:
        yield join(folder, os.path.basename(path.rstrip("/")))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    others.await_finished(key)


@contextmanager
def _finishing(others: Others, key: str) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        others.finish(key, f"{type(error).__name__}: {error}")
        raise
    others.finish(key, None)
