"""`QueueRunner`: threads that fill a queue, by operations of the graph."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.core.settings.logging import logger
from runnel.graph.session.default import get_default_session
from runnel.v1.variables.collections import GraphKeys, add_to_collection, get_collection


class QueueRunner:
    """Runs operations that put elements into a queue, each in a thread, until it is closed."""

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if state.graph is None:
            raise RuntimeError("QueueRunners are not supported when eager execution is enabled.")
        if queue_runner_def is not None:
            raise NotImplementedError("QueueRunner: `queue_runner_def` is not supported.")
        if not queue or not enqueue_ops:
            raise ValueError("QueueRunner: `queue` and `enqueue_ops` must be given.")
        self._queue, self._enqueue_ops = queue, list(enqueue_ops)
        self._closed = queue_closed_exception_types or (tf.errors.OutOfRangeError,)
        if not isinstance(self._closed, tuple) or not all(
            isinstance(kind, type) and issubclass(kind, Exception) for kind in self._closed
        ):
            raise TypeError("QueueRunner: `queue_closed_exception_types` is a tuple of classes.")
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = cancel_op
        if cancel_op is None:
            self._cancel_op = queue.close(cancel_pending_enqueues=True)
        self._lock = threading.Lock()
        self._running: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._raised: list[BaseException] = []

    queue = property(lambda self: self._queue)
    enqueue_ops = property(lambda self: self._enqueue_ops)
    close_op = property(lambda self: self._close_op)
    cancel_op = property(lambda self: self._cancel_op)
    queue_closed_exception_types = property(lambda self: self._closed)
    exceptions_raised = property(lambda self: self._raised)
    name = property(lambda self: self._queue.name)

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Threads that fill the queue in a session; none if there are some at work already."""
        with self._lock:
            if self._running.get(sess):
                return []
            self._running[sess] = len(self._enqueue_ops)
            self._raised = []
        name = self.name
        made = [
            threading.Thread(
                target=self._run, args=(sess, op, coord), name=f"QueueRunnerThread-{name}-{op.name}"
            )
            for op in self._enqueue_ops
        ]
        if coord is not None:
            made.append(
                threading.Thread(
                    target=self._close_on_stop,
                    args=(sess, coord),
                    name=f"QueueRunnerThread-{name}-close_on_stop",
                )
            )
        for thread in made:
            if coord is not None:
                coord.register_thread(thread)
            thread.daemon = daemon
            if start:
                thread.start()
        return made

    def _run(self, sess: Any, enqueue_op: Any, coord: Any) -> None:
        try:
            enqueue = sess.make_callable(enqueue_op)
            while coord is None or not coord.should_stop():
                enqueue()
        except self._closed:
            pass
        except Exception as error:
            self._note(error, coord)
        finally:
            self._leave(sess)

    def _note(self, error: BaseException, coord: Any) -> None:
        if coord is not None:
            coord.request_stop(error)
            return
        logger.error("Exception in QueueRunner: %s", error)
        with self._lock:
            self._raised.append(error)

    def _leave(self, sess: Any) -> None:
        """The last thread closes the queue: nothing more will come."""
        with self._lock:
            left = self._running.get(sess, 1) - 1
            self._running[sess] = left
        if left == 0:
            try:
                sess.run(self._close_op)
            except Exception as error:
                logger.info("Ignored exception: %s", error)

    def _close_on_stop(self, sess: Any, coord: Any) -> None:
        coord.wait_for_stop()
        try:
            sess.run(self._cancel_op)
        except Exception as error:
            logger.info("Ignored exception: %s", error)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The runner as a message."""
        raise NotImplementedError("QueueRunner.to_proto: runners cannot be saved with a graph.")

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> QueueRunner:
        """A runner of a message."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Let `start_queue_runners` start a runner."""
    add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Start the threads of all queue runners of the graph."""
    if sess is None:
        sess = get_default_session()
        if sess is None:
            raise ValueError("Cannot start queue runners: No default session is registered.")
    with sess.graph.as_default():
        return [
            thread
            for runner in get_collection(collection)
            for thread in runner.create_threads(sess, coord, daemon, start)
        ]
