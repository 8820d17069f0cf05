"""Mutexes as resources: what a critical section is in TensorFlow's graphs."""

from __future__ import annotations

import threading

from runnel.core.op.op import op
from runnel.core.state.resource import Resource
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.types import Namespace
from runnel.ops.resources.lookup_tables import shared
from runnel.ops.shapes import scalar


class Mutex(Resource):
    """What one at a time may hold."""

    def __init__(self) -> None:
        super().__init__()
        self.held = threading.Lock()


class MutexLock(Resource):
    """A mutex that is held until this is consumed, or forgotten."""

    def __init__(self, mutex: Mutex) -> None:
        super().__init__()
        mutex.held.acquire()
        self._mutex: Mutex | None = mutex

    def release(self) -> None:
        mutex, self._mutex = self._mutex, None
        if mutex is not None:
            mutex.held.release()

    def __del__(self) -> None:
        if getattr(self, "_mutex", None) is not None:
            self.release()


@op("MutexV2", "-> resource: resource", shape=scalar, effects="queues")
def _mutex(xp: Namespace, *, container: str = "", shared_name: str = "") -> Mutex:
    return shared(container, shared_name, Mutex)  # type: ignore[no-any-return]


@op("MutexLock", "mutex: resource -> mutex_lock: variant", shape=scalar, effects="queues")
def _mutex_lock(xp: Namespace, mutex: Mutex) -> MutexLock:
    if not isinstance(mutex, Mutex):
        raise InvalidArgumentError(None, None, "MutexLock: the handle is not that of a mutex.")
    return MutexLock(mutex)


@op("ConsumeMutexLock", "mutex_lock: variant ->", shape=lambda lock: [], effects="queues")
def _consume_mutex_lock(xp: Namespace, mutex_lock: MutexLock) -> None:
    if not isinstance(mutex_lock, MutexLock):
        message = "ConsumeMutexLock: the variant is not the lock of a mutex."
        raise InvalidArgumentError(None, None, message)
    mutex_lock.release()
