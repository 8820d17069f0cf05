"""`tf.train.CheckpointManager`: the last few checkpoints of a training, and no more."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from runnel.core.files import files
from runnel.core.files.files import PathLike
from runnel.core.files.shared import once_for_all
from runnel.core.values.errors import OpError
from runnel.core.values.tracebacks import trimmed
from runnel.train.checkpoint import Checkpoint
from runnel.train.files.checkpoint_state import get_checkpoint_state, latest_checkpoint, write_state
from runnel.train.options import CheckpointOptions


class CheckpointManager:
    """Saves numbered checkpoints in a folder, and removes old ones.

    Args:
        checkpoint: a `tf.train.Checkpoint`.
        directory: the folder.
        max_to_keep: how many are kept; None for all.
        keep_checkpoint_every_n_hours: one in so many hours is kept for good.
        checkpoint_name: what the files' names begin with.
        step_counter, checkpoint_interval: a variable that counts, and how far it must come before
            `save` saves again.
        init_fn: what to call if there is no checkpoint yet.
        last_checkpoint_step: the step of the last one, when going on.

    >>> import tempfile
    >>> checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    >>> manager = tf.train.CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     path = manager.save()
    >>> [path[-6:] for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: PathLike,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = files.as_path(directory)
        self._max_to_keep = max_to_keep
        self._keep_hours = keep_checkpoint_every_n_hours
        self._name = checkpoint_name
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        self._lock = threading.Lock()
        self._take_up_state()

    def _take_up_state(self) -> None:
        """Go on with the checkpoints that are in the folder."""
        found, now = get_checkpoint_state(self._directory), time.time()
        self._latest: str | None = None
        self._preserved = now - 1.0  # when the last checkpoint that is kept for good was written
        self._kept: dict[str, float] = {}
        if found is None:
            return
        self._latest = found.model_checkpoint_path
        self._preserved = min(found.last_preserved_timestamp, now)
        paths, times = found.all_model_checkpoint_paths, found.all_model_checkpoint_timestamps
        if len(times) == len(paths):  # else others wrote them, who say nothing of when
            recent = {path: min(at, now) for path, at in zip(paths, times, strict=True)}
            self._kept = {path: at for path, at in recent.items() if at > self._preserved}

    @property
    def directory(self) -> str:
        return self._directory

    @property
    def checkpoint(self) -> Checkpoint:
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the last checkpoint, None if there is none."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the checkpoints that may still be removed, the latest last."""
        return list(self._kept)

    @trimmed
    def save(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Save a checkpoint and remove the oldest; None if the interval is not over.

        Args:
            checkpoint_number: the number; None counts.
            check_interval: whether `checkpoint_interval` is minded.
            options: settings of where and how files are read and written; None for the usual ones.
        """
        if self._interval is not None and not self._is_due(self._interval, check_interval):
            return None
        self._checkpoint.sync()
        counted = self._checkpoint._next_number()
        number = counted if checkpoint_number is None else int(checkpoint_number)
        prefix = files.join(self._directory, f"{self._name}-{number}")
        return self._checkpoint._write(prefix, options, self._written)

    def _is_due(self, interval: int, check_interval: bool) -> bool:
        step, last = int(self._step_counter), self._last_step
        if last is not None and (step == last or (check_interval and step < last + interval)):
            return False
        self._last_step = step
        return True

    def _written(self, path: str) -> None:
        """Make a checkpoint that has been written the latest; only then remove old ones."""
        with self._lock:
            self._kept.pop(path, None)
            self._kept[path] = time.time()
            self._latest = path
            self._record()
            if self._max_to_keep is not None and len(self._kept) > self._max_to_keep:
                self._sweep(self._max_to_keep)
                self._record()

    def _record(self) -> None:
        assert self._latest is not None
        times = list(self._kept.values())
        write_state(self._directory, self._latest, self.checkpoints, times, self._preserved)

    def _sweep(self, most: int) -> None:
        while len(self._kept) > most:
            path = next(iter(self._kept))
            written = self._kept.pop(path)
            if self._keep_hours and written - self._keep_hours * 3600.0 >= self._preserved:
                self._preserved = written
                continue
            if not self._is_inside(path):
                continue  # the folder's list names it, but it is not the manager's to remove
            once_for_all(path, partial(_remove, path))

    def _is_inside(self, path: str) -> bool:
        folder, path = os.path.normpath(self._directory), os.path.normpath(path)
        return path.startswith(os.path.join(folder, ""))

    @trimmed
    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint and return its path, or call `init_fn`."""
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._interval is not None:
                self._last_step = int(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Wait until a checkpoint that is written by a thread is whole."""
        self._checkpoint.sync()


def _remove(path: str) -> None:
    for file in [f"{path}.index", *files.glob(f"{path}.data-?????-of-?????")]:
        with suppress(OpError):
            files.remove(file)


def checkpoints_iterator(
    checkpoint_dir: PathLike,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Each new latest checkpoint of a folder, as it appears.

    It ends when none has appeared for `timeout` seconds, unless `timeout_fn` then returns False.

    >>> list(tf.train.checkpoints_iterator("/no/such/folder", timeout=0))
    []
    """
    last: str | None = None
    while True:
        found = _wait_for_new(checkpoint_dir, last, timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start, last = time.time(), found
        yield found
        time.sleep(max(0.0, start + min_interval_secs - time.time()))


def _wait_for_new(folder: PathLike, last: str | None, timeout: float | None) -> str | None:
    pause = 1.0
    end = None if timeout is None else time.time() + timeout
    while True:
        found = latest_checkpoint(folder)
        if found is not None and found != last:
            return found
        if end is not None and time.time() + pause > end:
            return None
        time.sleep(pause)
