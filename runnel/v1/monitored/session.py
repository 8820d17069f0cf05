"""`MonitoredSession`: a session that begins, recovers and ends by itself, with hooks."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.core.protos import messages
from runnel.core.settings.logging import logger
from runnel.graph.session.default import default_session, get_default_graph
from runnel.v1.input.queue_runner import start_queue_runners
from runnel.v1.monitored.hook import SessionRunArgs, SessionRunContext, SessionRunValues
from runnel.v1.monitored.hooks import CheckpointSaverHook, StepCounterHook, SummarySaverHook
from runnel.v1.monitored.scaffold import Scaffold, SessionManager

_DEFAULT = object()
_LOST = (tf.errors.AbortedError, tf.errors.UnavailableError)


class SessionCreator:
    """What makes sessions, a new one when the old one is lost."""

    def create_session(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}.create_session")


class ChiefSessionCreator(SessionCreator):
    """Makes a session that initialises the model, or restores it."""

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        self._scaffold, self._master, self._config = scaffold or Scaffold(), master, config
        self._dir, self._file = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Any:
        scaffold = self._scaffold.finalize()
        return _manager(scaffold).prepare_session(
            self._master,
            init_op=scaffold.init_op,
            saver=scaffold.saver,
            checkpoint_dir=self._dir,
            checkpoint_filename_with_path=self._file,
            config=self._config,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
        )


class WorkerSessionCreator(SessionCreator):
    """Makes a session of a model that somebody else initialises."""

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float = 30 * 60,
    ) -> None:
        self._scaffold, self._master, self._config = scaffold or Scaffold(), master, config
        self._max_wait = max_wait_secs

    def create_session(self) -> Any:
        manager = _manager(self._scaffold.finalize())
        return manager.wait_for_session(self._master, self._config, self._max_wait)


def _manager(scaffold: Scaffold) -> SessionManager:
    return SessionManager(
        local_init_op=scaffold.local_init_op,
        local_init_feed_dict=scaffold.local_init_feed_dict,
        ready_op=scaffold.ready_op,
        ready_for_local_init_op=scaffold.ready_for_local_init_op,
        graph=get_default_graph(),
    )


class _Monitored:
    """What both kinds of monitored sessions have in common."""

    _recovers: bool

    def __init__(self, creator: SessionCreator, hooks: Any, grace: float) -> None:
        self._hooks, self._creator, self._grace = list(hooks or []), creator, grace
        self._graph_open = state.graph is not None
        for hook in self._hooks:
            hook.begin()
        self._session: Any = None
        self._stopped = self._closed = False
        self._create()

    def _create(self) -> None:
        self._session = self._creator.create_session()
        self._coordinator = tf.train.Coordinator(clean_stop_exception_types=[])
        self._threads = start_queue_runners(self._session, self._coordinator)
        with self._session.graph.as_default():
            for hook in self._hooks:
                hook.after_create_session(self._session, self._coordinator)

    @property
    def graph(self) -> Any:
        """The graph, as long as the session is open."""
        return None if self._session is None else self._session.graph

    def __enter__(self) -> Any:
        self._entered = default_session(self)
        self._entered.__enter__()
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        self._entered.__exit__(None, None, None)
        ends = kind is not None and issubclass(kind, (tf.errors.OutOfRangeError, StopIteration))
        self._end(None if ends else kind)
        return ends

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Run as a session does; hooks see it."""
        while True:
            self._check_open()
            try:
                return self._run_with_hooks(fetches, feed_dict, options, run_metadata)
            except _LOST as error:
                if not self._recovers:
                    raise
                logger.info("The session was lost (%s); a new one is made.", error)
                self._session.close()
                self._create()

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Run called even after should_stop requested.")

    def _run_with_hooks(self, fetches: Any, feeds: Any, options: Any, metadata: Any) -> Any:
        context = SessionRunContext(SessionRunArgs(fetches, feeds), self._session)
        wanted, all_feeds = {"caller": fetches}, dict(feeds or {})
        for number, hook in enumerate(self._hooks):
            request = hook.before_run(context)
            if request is None:
                continue
            if request.options is not None:
                options = _joint(options, request.options)
                metadata = messages.RunMetadata() if metadata is None else metadata
            if request.fetches is not None:
                wanted[f"hook{number}"] = request.fetches
            for key, value in (request.feed_dict or {}).items():
                if any(key is known for known in all_feeds):
                    raise RuntimeError(f"The same tensor is fed by two hooks, or twice: {key}.")
                all_feeds[key] = value
        found = self._session.run(wanted, all_feeds, options=options, run_metadata=metadata)
        for number, hook in enumerate(self._hooks):
            values = SessionRunValues(found.get(f"hook{number}"), options, metadata)
            hook.after_run(context, values)
        self._stopped = self._stopped or context.stop_requested
        if self._coordinator.should_stop():
            self._stopped = True
            self._coordinator.raise_requested_exception()
        return found["caller"]

    def should_stop(self) -> bool:
        """Whether a hook or a thread has asked for an end."""
        if self._closed or self._stopped:
            return True
        return bool(self._coordinator.should_stop())

    def close(self) -> None:
        """End: hooks are told, threads are joined."""
        self._end(None)

    def _end(self, kind: Any) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            if kind is None:
                with self._session.graph.as_default():
                    for hook in self._hooks:
                        hook.end(self._session)
        finally:
            self._coordinator.request_stop()
            self._coordinator.join(
                self._threads, stop_grace_period_secs=self._grace, ignore_live_threads=True
            )
            self._session.close()
            self._session = None

    class StepContext:
        """What a function of `run_step_fn` gets: the session, and how to run with hooks."""

        def __init__(self, session: Any, run_with_hooks_fn: Any) -> None:
            self._session, self._run_with_hooks_fn = session, run_with_hooks_fn

        session = property(lambda self: self._session)

        def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
            """Run once more, with the hooks."""
            return self._run_with_hooks_fn(*args, **kwargs)

        def request_stop(self) -> None:
            """Let the loop end."""
            raise StopIteration("step_fn has requested the iterations to stop.")

    def run_step_fn(self, step_fn: Any) -> Any:
        """Call a function of a step context: its answer."""
        self._check_open()
        return step_fn(self.StepContext(self._session, self.run))


class MonitoredSession(_Monitored):
    """A session that runs hooks, and makes itself anew when it is lost."""

    _recovers = True

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Any = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(session_creator or ChiefSessionCreator(), hooks, stop_grace_period_secs)


class SingularMonitoredSession(_Monitored):
    """A session that runs hooks, and raises when it is lost."""

    _recovers = False

    def __init__(
        self,
        hooks: Any = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """The session itself."""
        return self._session


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Any = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: Any = _DEFAULT,
    save_summaries_steps: Any = _DEFAULT,
    save_summaries_secs: Any = _DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = _DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """A monitored session with the usual hooks: checkpoints, summaries, steps in a second.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     train_op = tf.compat.v1.assign_add(step, 1)
    ...     stop = tf.compat.v1.train.StopAtStepHook(last_step=3)
    ...     with tf.compat.v1.train.MonitoredTrainingSession(hooks=[stop]) as session:
    ...         while not session.should_stop():
    ...             last = session.run(train_op)
    >>> int(last)
    3
    """
    scaffold = scaffold or Scaffold()
    if not is_chief:
        worker = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(worker, hooks, stop_grace_period_secs)
    every: dict[str, Any] = {}
    if save_checkpoint_secs is _DEFAULT and save_checkpoint_steps is _DEFAULT:
        every = {"save_secs": 600}
    else:
        every["save_secs"] = None if save_checkpoint_secs is _DEFAULT else save_checkpoint_secs
        every["save_steps"] = None if save_checkpoint_steps is _DEFAULT else save_checkpoint_steps
    if save_summaries_steps is _DEFAULT and save_summaries_secs is _DEFAULT:
        summaries: tuple[Any, Any] = (100, None)
    else:
        summaries = (
            None if save_summaries_steps is _DEFAULT else save_summaries_steps,
            None if save_summaries_secs is _DEFAULT else save_summaries_secs,
        )
    folder = summary_dir or checkpoint_dir
    all_hooks: list[Any] = list(chief_only_hooks or [])
    if folder:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(StepCounterHook(log_step_count_steps, output_dir=folder))
        if any(summaries):
            all_hooks.append(SummarySaverHook(*summaries, scaffold=scaffold, output_dir=folder))
    if checkpoint_dir and any(every.values()):
        all_hooks.append(
            CheckpointSaverHook(
                checkpoint_dir, scaffold=scaffold, save_graph_def=save_graph_def, **every
            )
        )
    chief = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(chief, [*all_hooks, *(hooks or [])], stop_grace_period_secs)


def _joint(options: Any, more: Any) -> Any:
    """Options of a run by which each of two gets what it asks for."""
    made = messages.RunOptions()
    for given in (options, more):
        if given is not None:
            made.trace_level = max(made.trace_level, given.trace_level)
            made.timeout_in_ms = max(made.timeout_in_ms, given.timeout_in_ms)
            made.output_partition_graphs |= given.output_partition_graphs
    return made
