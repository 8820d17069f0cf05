"""Profiles of some batches of a training, for the `TensorBoard` callback."""

from __future__ import annotations

from typing import Any

import runnel as tf


class BatchProfiler:
    """Profiles the batches from a first to a last one, counted from one over all epochs."""

    def __init__(self, profile_batch: Any, log_dir: str) -> None:
        self.first, self.last = _range(profile_batch)
        self._log_dir = log_dir
        self._batch = 0
        self._running = False

    def begin(self) -> None:
        """Told when training begins."""
        self._batch = 0

    def before_batch(self) -> None:
        self._batch += 1
        if self.last and self._batch == self.first:
            try:
                tf.profiler.experimental.start(self._log_dir)
                self._running = True
            except tf.errors.AlreadyExistsError as error:  # somebody profiles already
                tf.get_logger().error("Failed to start profiler: %s", error.message)

    def after_batch(self) -> None:
        if self._running and self._batch >= self.last:
            self.end()

    def end(self) -> None:
        """Write the profile, if one is running."""
        if self._running:
            self._running = False
            tf.profiler.experimental.stop()


def _range(profile_batch: Any) -> tuple[int, int]:
    given = profile_batch
    if isinstance(given, str):
        parts = [int(part) for part in given.split(",")]
        given = parts[0] if len(parts) == 1 else parts
    if isinstance(given, int):
        given = (given, given)
    fits = isinstance(given, tuple | list) and len(given) == 2
    if not fits or given[0] < 0 or given[1] < given[0]:
        raise ValueError(
            "profile_batch must be a non-negative integer or a pair of them, the first not larger "
            f"than the second: the batches to profile. Found: {profile_batch}"
        )
    return int(given[0]), int(given[1])
