"""`PreemptionCheckpointHandler`: a checkpoint, before a process is taken away.

A process that is told to end tells all others. Each then answers, from a thread that nothing holds
up, how many steps it has begun, and begins no further one until all have answered: the largest of
these numbers is the step after which all save.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from runnel.core.files import files
from runnel.core.state.variable import Variable
from runnel.core.values.dtypes import int64
from runnel.core.values.errors import InvalidArgumentError
from runnel.distribute.cluster.ops import joined
from runnel.distribute.cluster_resolver.resolver import ClusterResolver
from runnel.train.checkpoint import Checkpoint
from runnel.train.manager import CheckpointManager

_RESTART = 42  # the exit code that asks for a new start
_NOTE, _BEGUN = "preempted", "steps begun"
_POLLED = 1.0  # seconds between two questions of a watcher


class TerminationConfig:
    """How a process learns that it is to end, and what it does then.

    Args:
        termination_watcher_fn: tells whether the end is near; SIGTERM does if it is not given.
        exit_fn: ends the program, once there is a checkpoint; with exit code 42 if not given.
        grace_period: seconds to go on for, since the end comes only after them.
        save_fn: saves, in place of the manager.
    """

    def __init__(
        self,
        termination_watcher_fn: Callable[[], bool] | None = None,
        exit_fn: Callable[[], Any] | None = None,
        grace_period: float | None = None,
        save_fn: Callable[..., Any] | None = None,
    ) -> None:
        self.termination_watcher_fn = termination_watcher_fn
        self.exit_fn = exit_fn
        self.grace_period = grace_period
        self.save_fn = save_fn


class PreemptionCheckpointHandler:
    """Runs steps of training, and saves between two of them when a process is about to end.

    Args:
        cluster_resolver: who the processes are.
        checkpoint_or_checkpoint_manager: what to save; it is restored at once if it was saved.
        checkpoint_dir: where to, if that is a `tf.train.Checkpoint`.
        termination_config: how the end is announced, and what happens then.
    """

    def __init__(
        self,
        cluster_resolver: ClusterResolver | None,
        checkpoint_or_checkpoint_manager: Checkpoint | CheckpointManager,
        checkpoint_dir: files.PathLike | None = None,
        termination_config: TerminationConfig | None = None,
    ) -> None:
        self._resolver = cluster_resolver
        self._config = termination_config or TerminationConfig()
        self._manager = _manager(checkpoint_or_checkpoint_manager, checkpoint_dir)
        checkpoint: Any = self._manager.checkpoint
        self._calls = Variable(0, dtype=int64, trainable=False, name="total_run_calls")
        checkpoint._preemption_run_calls = self._calls
        self._begun = 0
        self._lock = threading.Lock()
        self._is_told = self._is_held = False
        self._exchange = joined.exchange
        self._manager.restore_or_initialize()
        if self._exchange is not None:
            self._exchange.roll.on_note(_NOTE, self._answer)
        self._listen()

    @property
    def total_run_calls(self) -> int:
        """How many steps were run, those before a restart included."""
        return int(self._calls)

    def run(self, distributed_train_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Run a step; before it, save and end if a process has been told to end."""
        self._check()
        result = distributed_train_function(*args, **kwargs)
        self._calls.assign_add(1)
        return result

    def save_checkpoint_if_preempted(self, *args: Any, **kwargs: Any) -> None:
        """Save and end if a process has been told to end; the arguments are for the save function.

        To be called between steps, by all processes equally often.
        """
        self._check(*args, **kwargs)

    @contextmanager
    def watch_preemption_scope(self) -> Iterator[None]:
        """A scope for a loop over steps; whoever leaves it has been checked once more."""
        yield
        self._check()

    def _listen(self) -> None:
        if self._config.termination_watcher_fn is not None:
            threading.Thread(target=self._poll, name="preemption", daemon=True).start()
        elif threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, lambda number, frame: self._announce())

    def _poll(self) -> None:
        assert self._config.termination_watcher_fn is not None
        while not self._config.termination_watcher_fn():
            time.sleep(_POLLED)
        self._announce()

    def _announce(self) -> None:
        """Tell all processes that this one has to end; after the time that it is left."""
        timer = threading.Timer(self._config.grace_period or 0.0, self._tell)
        timer.daemon = True
        timer.start()

    def _tell(self) -> None:
        self._is_told = True
        if self._exchange is not None:
            self._exchange.roll.note(_NOTE, self._exchange.process)

    def _answer(self, process: int) -> None:
        """In the thread that listens: say how many steps were begun, and begin no other one."""
        assert self._exchange is not None
        with self._lock:
            self._is_held = True
            self._exchange.roll.say(_BEGUN, self._begun)

    def _check(self, *args: Any, **kwargs: Any) -> None:
        if self._exchange is None:
            if self._is_told:
                self._end(*args, **kwargs)
            return
        with self._lock:
            held = self._is_held
            if not held:
                self._begun += 1
        if held:
            last = max(self._exchange.roll.heard(_BEGUN))
            if self._begun >= last:
                self._end(*args, **kwargs)
            self._begun += 1

    def _end(self, *args: Any, **kwargs: Any) -> None:
        (self._config.save_fn or self._manager.save)(*args, **kwargs)
        self._manager.sync()
        (self._config.exit_fn or (lambda: sys.exit(_RESTART)))()


def _manager(given: Any, folder: files.PathLike | None) -> CheckpointManager:
    if isinstance(given, CheckpointManager):
        return given
    if not isinstance(given, Checkpoint):
        message = (
            "PreemptionCheckpointHandler: `checkpoint_or_checkpoint_manager` must be a "
            f"tf.train.Checkpoint or a tf.train.CheckpointManager, got {given!r}"
        )
        raise InvalidArgumentError(None, None, message)
    if not folder:
        message = (
            "PreemptionCheckpointHandler: a checkpoint needs a `checkpoint_dir` to be saved in"
        )
        raise InvalidArgumentError(None, None, message)
    return CheckpointManager(given, folder, max_to_keep=1)
