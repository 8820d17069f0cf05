"""`Supervisor`: the older way to a session that saves, writes summaries and recovers."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import runnel as tf
from runnel.core.protos import messages
from runnel.core.settings.logging import logger
from runnel.graph.session.default import get_default_graph
from runnel.v1.input.queue_runner import start_queue_runners
from runnel.v1.monitored.hooks import default_saver
from runnel.v1.monitored.scaffold import SessionManager
from runnel.v1.summary.functions import merge_all
from runnel.v1.summary.writer import FileWriter
from runnel.v1.train.global_step import get_global_step
from runnel.v1.train.meta_graphs import write_graph_text
from runnel.v1.variables.collections import global_variables
from runnel.v1.variables.initializing import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)


class LooperThread(threading.Thread):
    """A thread that calls a function now and then, until a coordinator asks for an end."""

    def __init__(
        self,
        coord: Any,
        timer_interval_secs: float | None,
        target: Any = None,
        args: Any = None,
        kwargs: Any = None,
    ) -> None:
        if not isinstance(coord, tf.train.Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__()
        self.daemon = True
        self._coord, self._interval, self._function = coord, timer_interval_secs, target
        self._given, self._named = args or (), kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Any,
        timer_interval_secs: float | None,
        target: Any,
        args: Any = None,
        kwargs: Any = None,
    ) -> LooperThread:
        """Start such a thread."""
        made = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        made.start()
        return made

    def run(self) -> None:
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                following = time.time()
                while not self._coord.wait_for_stop(following - time.time()):
                    following += self._interval
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called when the thread begins."""

    def run_loop(self) -> None:
        """Called each time."""
        if self._function:
            self._function(*self._given, **self._named)

    def stop_loop(self) -> None:
        """Called when the thread ends."""


class Supervisor:
    """Begins a session, saves checkpoints and summaries in threads, and ends them."""

    USE_DEFAULT = 0

    def __init__(
        self,
        graph: Any = None,
        ready_op: Any = USE_DEFAULT,
        ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = USE_DEFAULT,
        logdir: str | None = None,
        summary_op: Any = USE_DEFAULT,
        saver: Any = USE_DEFAULT,
        global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: Any = None,
        summary_writer: Any = USE_DEFAULT,
        init_fn: Any = None,
        local_init_run_options: Any = None,
    ) -> None:
        self._graph = get_default_graph() if graph is None else graph
        self._is_chief, self._init_fn, self._feeds = is_chief, init_fn, init_feed_dict
        self._coord, self._grace = tf.train.Coordinator(), stop_grace_secs
        self._logdir = logdir
        self._save_secs, self._summary_secs = save_model_secs, save_summaries_secs
        with self._graph.as_default():
            default = self.USE_DEFAULT
            self._ready_op = _or(ready_op, default, report_uninitialized_variables)
            self._ready_for_local = _or(
                ready_for_local_init_op,
                default,
                lambda: report_uninitialized_variables(global_variables()),
            )
            self._init_op = _or(init_op, default, global_variables_initializer)
            self._local_init_op = _or(
                local_init_op,
                default,
                lambda: tf.group(local_variables_initializer(), tables_initializer()),
            )
            self._summary_op = _or(summary_op, default, merge_all)
            self._saver = _or(
                saver, default, lambda: default_saver() if global_variables() else None
            )
            self._global_step = _or(global_step, default, get_global_step)
        self._summary_writer: Any = None
        if logdir and is_chief:
            self._summary_writer = _or(summary_writer, default, lambda: FileWriter(logdir))
        elif summary_writer is not default:
            self._summary_writer = summary_writer
        self._save_path = os.path.join(logdir, checkpoint_basename) if logdir else None
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        self._graph.finalize()
        self._started = False

    coord = property(lambda self: self._coord)
    global_step = property(lambda self: self._global_step)
    init_feed_dict = property(lambda self: self._feeds)
    init_op = property(lambda self: self._init_op)
    is_chief = property(lambda self: self._is_chief)
    ready_for_local_init_op = property(lambda self: self._ready_for_local)
    ready_op = property(lambda self: self._ready_op)
    save_model_secs = property(lambda self: self._save_secs)
    save_path = property(lambda self: self._save_path)
    save_summaries_secs = property(lambda self: self._summary_secs)
    saver = property(lambda self: self._saver)
    session_manager = property(lambda self: self._session_manager)
    summary_op = property(lambda self: self._summary_op)
    summary_writer = property(lambda self: self._summary_writer)

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Any:
        """A session that is ready, with the threads of the supervisor at work."""
        self._coord.clear_stop()
        if self._summary_writer is not None:
            self._summary_writer.reopen()
        if not self._is_chief:
            session = self._session_manager.wait_for_session(master, config, max_wait_secs)
        else:
            session = self._session_manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._feeds,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services and self._logdir:
                self.start_standard_services(session)
        self.start_queue_runners(session)
        return session

    PrepareSession = prepare_or_wait_for_session

    def _write_graph(self) -> None:
        if self._logdir and self._summary_writer is not None:
            write_graph_text(self._graph, self._logdir)
            self._summary_writer.add_graph(self._graph)

    def start_standard_services(self, sess: Any) -> list[threading.Thread]:
        """Start the threads that save checkpoints and summaries."""
        if not self._is_chief:
            raise RuntimeError("Only chief supervisor can start standard services.")
        if not self._logdir:
            logger.warning("Standard services need a 'logdir' passed to the SessionManager")
            return []
        if self._summary_writer is not None:
            log = messages.SessionLog(status=messages.SessionLog.START)
            self._summary_writer.add_session_log(log, self._step_of(sess))
        made: list[threading.Thread] = []
        if self._summary_op is not None and self._summary_secs and self._summary_writer:
            made.append(self.loop(self._summary_secs, self._write_summary, (sess,)))
        if self._saver and self._save_secs:
            made.append(self.loop(self._save_secs, self._save, (sess,)))
        return made

    StartStandardServices = start_standard_services

    def _step_of(self, sess: Any) -> int:
        return 0 if self._global_step is None else int(sess.run(self._global_step))

    def _write_summary(self, sess: Any) -> None:
        self._summary_writer.add_summary(sess.run(self._summary_op), self._step_of(sess))

    def _save(self, sess: Any) -> None:
        self._saver.save(sess, self._save_path, global_step=self._global_step)

    def start_queue_runners(self, sess: Any, queue_runners: Any = None) -> list[threading.Thread]:
        """Start the threads that fill queues."""
        if queue_runners is None:
            return start_queue_runners(sess, self._coord)
        return [t for q in queue_runners for t in q.create_threads(sess, self._coord, True, True)]

    StartQueueRunners = start_queue_runners

    def loop(
        self, timer_interval_secs: float | None, target: Any, args: Any = None, kwargs: Any = None
    ) -> LooperThread:
        """Start a thread that calls a function now and then."""
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    Loop = loop

    def stop(
        self,
        threads: Any = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Ask all threads for an end, and wait for them."""
        self._coord.request_stop()
        try:
            self._coord.join(
                threads, stop_grace_period_secs=self._grace, ignore_live_threads=ignore_live_threads
            )
        finally:
            if close_summary_writer and self._summary_writer is not None:
                log = messages.SessionLog(status=messages.SessionLog.STOP)
                self._summary_writer.add_session_log(log)
                self._summary_writer.close()

    Stop = stop

    def request_stop(self, ex: Any = None) -> None:
        """Ask all threads for an end."""
        self._coord.request_stop(ex)

    RequestStop = request_stop

    def should_stop(self) -> bool:
        """Whether an end was asked for."""
        return bool(self._coord.should_stop())

    ShouldStop = should_stop

    def stop_on_exception(self) -> Any:
        """An exception inside asks for an end."""
        return self._coord.stop_on_exception()

    StopOnException = stop_on_exception

    def wait_for_stop(self) -> None:
        """Wait until somebody asks for an end."""
        self._coord.wait_for_stop()

    WaitForStop = wait_for_stop

    def summary_computed(self, sess: Any, summary: Any, global_step: Any = None) -> None:
        """Write a summary."""
        if self._summary_writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = self._step_of(sess)
        self._summary_writer.add_summary(summary, global_step)

    SummaryComputed = summary_computed

    @contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """A session that is ready, and ends with the block."""
        try:
            session = self.prepare_or_wait_for_session(
                master, config, start_standard_services=start_standard_services
            )
            with session.as_default():
                yield session
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                session.close()


def _or(given: Any, default: Any, make: Callable[[], Any]) -> Any:
    return make() if given is default else given


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Any,
    args: Any = None,
    kwargs: Any = None,
    master: str = "",
) -> None:
    """Call a function of a session again and again, until the supervisor asks for an end."""
    named = kwargs or {}
    while True:
        try:
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or []), **named)
            return
        except (tf.errors.AbortedError, tf.errors.UnavailableError):
            supervisor.coord.clear_stop()
