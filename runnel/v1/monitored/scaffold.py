"""What a session needs to begin: operations that initialise, a saver; and who begins it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import runnel as tf
from runnel.graph.session.default import get_default_graph
from runnel.graph.session.session import Session
from runnel.v1.monitored.hooks import default_saver
from runnel.v1.summary.functions import merge_all
from runnel.v1.variables.collections import GraphKeys, get_collection, global_variables
from runnel.v1.variables.initializing import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)


class Scaffold:
    """The operations and the saver that training needs; what is not given is made by `finalize`."""

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")
        other = vars(copy_from_scaffold) if copy_from_scaffold is not None else {}
        given = {
            "init_op": init_op,
            "init_feed_dict": init_feed_dict,
            "ready_op": ready_op,
            "ready_for_local_init_op": ready_for_local_init_op,
            "local_init_op": local_init_op,
            "local_init_feed_dict": local_init_feed_dict,
            "summary_op": summary_op,
            "saver": saver,
        }
        for key, value in given.items():
            setattr(self, f"_{key}", other.get(f"_{key}") if value is None else value)
        self._init_fn = other.get("_init_fn")
        if init_fn is not None:
            self._init_fn = lambda session: init_fn(self, session)

    _init_op: Any
    _ready_op: Any
    _ready_for_local_init_op: Any
    _local_init_op: Any
    _summary_op: Any
    _saver: Any

    init_op = property(lambda self: self._init_op)
    init_feed_dict = property(lambda self: self._init_feed_dict)
    init_fn = property(lambda self: self._init_fn)
    ready_op = property(lambda self: self._ready_op)
    ready_for_local_init_op = property(lambda self: self._ready_for_local_init_op)
    local_init_op = property(lambda self: self._local_init_op)
    local_init_feed_dict = property(lambda self: self._local_init_feed_dict)
    summary_op = property(lambda self: self._summary_op)
    saver = property(lambda self: self._saver)

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Any) -> Any:
        """What a collection holds; if it is empty, what is made, which then is in it."""
        found = get_collection(collection_key)
        if len(found) > 1:
            raise RuntimeError(
                f"More than one item in the collection {collection_key!r}: {found}. Say which by "
                f"tf.Scaffold({arg_name}=…)."
            )
        if found:
            return found[0]
        made = default_constructor()
        if made is not None:
            get_default_graph().add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """Local variables and tables get their first values."""
        return tf.group(local_variables_initializer(), tables_initializer())

    def finalize(self) -> Scaffold:
        """Make what is missing, and let the graph be changed no more."""
        default = self.get_or_default
        if self._init_op is None:
            self._init_op = default("init_op", GraphKeys.INIT_OP, global_variables_initializer)
        if self._ready_op is None:
            self._ready_op = default("ready_op", GraphKeys.READY_OP, _not_ready)
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = default(
                "ready_for_local_init_op", GraphKeys.READY_FOR_LOCAL_INIT_OP, _globals_not_ready
            )
        if self._local_init_op is None:
            self._local_init_op = default(
                "local_init_op", GraphKeys.LOCAL_INIT_OP, self.default_local_init_op
            )
        if self._summary_op is None:
            self._summary_op = default("summary_op", GraphKeys.SUMMARY_OP, merge_all)
        if self._saver is None:
            self._saver = default_saver()
        if self._saver is not None:
            self._saver.build()
        get_default_graph().finalize()
        return self


def _not_ready() -> Any:
    return report_uninitialized_variables()


def _globals_not_ready() -> Any:
    return report_uninitialized_variables(global_variables())


class SessionManager:
    """Begins sessions: from a checkpoint if there is one, else by initialising."""

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Any = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local, self._wait = ready_for_local_init_op, recovery_wait_secs
        self._graph = get_default_graph() if graph is None else graph
        self._local_options, self._local_feeds = local_init_run_options, local_init_feed_dict

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
    ) -> Any:
        """A session whose variables have values: of a checkpoint, or their first ones."""
        given = checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint
        session, restored = self._restored(master, saver, *given, max_wait_secs, config)
        if not restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError(
                    "Model is not initialized and no init_op or init_fn or local_init_op was given"
                )
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(session)
        missing = self._made_ready(session)
        if missing:
            raise RuntimeError(f"Init operations did not make model ready: {missing}.")
        return session

    def recover_session(
        self,
        master: str,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Any, bool]:
        """A session, and whether a checkpoint made it ready."""
        given = checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint
        session, restored = self._restored(master, saver, *given, max_wait_secs, config)
        return session, restored and not self._made_ready(session)

    def wait_for_session(
        self, master: str, config: Any = None, max_wait_secs: float = float("Inf")
    ) -> Any:
        """A session once its model is ready; DeadlineExceededError if that takes too long."""
        end = time.time() + max_wait_secs
        while True:
            session = Session(master, graph=self._graph, config=config)
            if not self._made_ready(session):
                return session
            session.close()
            if time.time() + self._wait > end:
                raise tf.errors.DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {max_wait_secs} secs."
                )
            time.sleep(self._wait)

    def _restored(
        self,
        master: str,
        saver: Any,
        folder: str | None,
        file: str | None,
        wait: bool,
        max_wait: float,
        config: Any,
    ) -> tuple[Any, bool]:
        if folder and file:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        session = Session(master, graph=self._graph, config=config)
        if saver is None or not (folder or file):
            return session, False
        path, end = file, time.time() + max_wait
        while path is None:
            path = tf.train.latest_checkpoint(folder or "")
            if path is None:
                if not wait or time.time() > end:
                    return session, False
                time.sleep(min(self._wait, 1.0))
        saver.restore(session, path)
        if folder:
            known = tf.train.get_checkpoint_state(folder)
            if known is not None:
                saver.recover_last_checkpoints(list(known.all_model_checkpoint_paths))
        return session, True

    def _made_ready(self, session: Any) -> str | None:
        """Initialise what is local; then, what is not ready, or None."""
        if self._local_init_op is not None:
            waiting = self._report(session, self._ready_for_local)
            if waiting:
                return waiting
            session.run(self._local_init_op, feed_dict=self._local_feeds)
        return self._report(session, self._ready_op)

    def _report(self, session: Any, op: Any) -> str | None:
        if op is None:
            return None
        found = np.ravel(session.run(op))
        names = ", ".join(n.decode() if isinstance(n, bytes) else str(n) for n in found)
        return f"Variables not initialized: {names}" if found.size else None
