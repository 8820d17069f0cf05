"""Threads: elements made ahead of their use (`Prefetch`), and functions run side by side.

Producers know a channel and their input, never the stage that the consumer holds. So when the
consumer is dropped, it closes the channel, the threads end, and let go of their input.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from runnel.core.values.errors import UNKNOWN, OpError, exception_type_from_error_code
from runnel.data.nodes.node import Node, Run, Stage, State, Values, located, nbytes, number

if TYPE_CHECKING:
    from runnel.data.nodes.mapping import Map

AUTOTUNE = -1
_BYTES_OF_SMALL = 1 << 16  # bytes; of elements that are no larger, more are kept
_SLOW = 150e-6  # seconds; a function that takes no longer is done before a thread has been woken
_PATIENCE = 0.5  # seconds to wait at exit for the element that a thread is making
_OVER = object()


class Failure:
    """An error that is raised when the consumer comes to the element that caused it."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def save(self) -> State:
        """The class and the message, for `restored`."""
        code = self.error.error_code if isinstance(self.error, OpError) else UNKNOWN
        return {"code": code, "message": str(self.error)}

    @classmethod
    def restored(cls, state: State) -> Failure:
        """The failure that `save` was called on."""
        kind = exception_type_from_error_code(state["code"])
        return cls(kind(None, None, state["message"]))  # type: ignore[call-arg]


def saved(items: Iterable[Any]) -> list[State]:
    """Elements, and failures in the place of some, as a state."""
    return [item.save() if type(item) is Failure else item for item in items]


def restored(state: list[State]) -> list[Any]:
    """The elements and failures of which `saved` made a state."""
    return [Failure.restored(item) if isinstance(item, dict) else item for item in state]


class Channel:
    """What a producer's thread and its consumer share."""

    def __init__(self) -> None:
        self.items: deque[Any] = deque()
        self.changed = threading.Condition(threading.Lock())
        self.work = threading.Lock()  # held while an element is made
        self.closed = False
        self.idle = False  # the producer waits for room
        self.waiting = False  # the consumer waits for elements
        self.orphaned = False  # in a child: the threads are the parent's
        _open_channels.add(self)

    def wait(self) -> None:
        """Wait for a change, which somebody must be there to make."""
        if self.orphaned:
            raise RuntimeError(
                "An iterator over a dataset goes on in a process that was forked while threads of "
                "its parent made the elements, which are not here. Make an iterator in this "
                "process, or start it by multiprocessing's method 'spawn'."
            )
        self.changed.wait()

    def orphan(self) -> None:
        """In a child: nobody else holds the locks, and nobody makes further elements."""
        self.changed = threading.Condition(threading.Lock())
        self.work = threading.Lock()
        self.orphaned = True

    def close(self) -> None:
        with self.changed:
            self.closed = True
            self.changed.notify_all()


_open_channels: weakref.WeakSet[Channel] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """No thread may be at work when the interpreter goes."""
    for channel in list(_open_channels):
        channel.close()
    for channel in list(_open_channels):
        if channel.work.acquire(timeout=_PATIENCE):
            channel.work.release()


def _orphan_all() -> None:
    for channel in list(_open_channels):
        channel.orphan()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_orphan_all)


class Prefetch(Node):
    """Elements made ahead, on a thread."""

    kind = "PrefetchDataset"

    def __init__(self, source: Node, size: Any) -> None:
        super().__init__([source], source.structure)
        self.size = size

    def make(self, run: Run) -> Stage:
        size, source = number(self.size), run.build(self.input)
        if size == 0 or not run.threads:
            return source  # type: ignore[no-any-return]
        stage = Ahead(source, size)
        if run.options.experimental_warm_start:
            stage.begin()
        return stage

    def cardinality(self) -> int:
        return self.input.cardinality()


class Ahead(Stage):
    """A stage whose elements a thread makes before they are asked for."""

    apart = "inputs"  # what runs on other threads than the consumer's

    def __init__(self, source: Any, size: int) -> None:
        self._source = source
        self._size = size
        self._channel: Channel | None = None
        self._over = False
        self._held: deque[Any] = deque()

    def begin(self) -> Channel:
        """Start the thread."""
        channel = self._channel = Channel()
        channel.items.extend(self._held)
        weakref.finalize(self, channel.close)
        limit = self._size if self._size > 0 else 0
        thread = threading.Thread(
            target=_produce, args=(channel, self._source, limit), name="prefetch", daemon=True
        )
        thread.start()
        return channel

    @property
    def ready(self) -> bool:
        """Whether the next element need not be waited for."""
        return self._over or (self._channel is not None and bool(self._channel.items))

    def __next__(self) -> Values:
        if self._over:
            raise StopIteration
        channel = self._channel or self.begin()
        try:
            item = channel.items.popleft()
        except IndexError:
            item = _wait_for_item(channel)
        if channel.idle and len(channel.items) <= self._size // 2:
            with channel.changed:
                channel.changed.notify_all()
        if item is _OVER:
            self._over = True
            raise StopIteration
        result = _result(item)
        self.made += 1
        return result

    @property
    def buffer(self) -> list[Values]:
        """The elements that wait to be taken."""
        items = self._held if self._channel is None else self._channel.items
        return [item for item in list(items) if isinstance(item, list)]

    def save(self) -> State:
        if self._channel is None:
            return [self._over, saved(self._held), self._source.save()]
        with self._channel.work:
            items = saved([item for item in self._channel.items if item is not _OVER])
            return [self._over, items, self._source.save()]

    def restore(self, state: State) -> None:
        self._over, held, source = state
        self._held = deque(restored(held))
        self._source.restore(source)


def _wait_for_item(channel: Channel) -> Any:
    with channel.changed:
        channel.waiting = True
        channel.changed.notify_all()
        while not channel.items:
            channel.wait()
        channel.waiting = False
    return channel.items.popleft()


def _produce(channel: Channel, source: Any, limit: int) -> None:
    """The thread of `Ahead`."""
    items, changed = channel.items, channel.changed
    while True:
        with channel.work:
            if channel.closed:
                return
            item: Any
            try:
                item = next(source)
            except StopIteration:
                item = _OVER
            except BaseException as error:
                item = Failure(error)
            items.append(item)
        if not limit and isinstance(item, list):
            limit = 32 if nbytes(item) <= _BYTES_OF_SMALL else 4
        if channel.waiting:
            _wake(channel)
        if item is _OVER:
            return
        if len(items) >= limit:
            with changed:
                channel.idle = True
                while len(items) > limit // 2 and not channel.closed and not channel.waiting:
                    changed.wait()
                channel.idle = False
            if channel.waiting and items:
                _wake(channel)


def _wake(channel: Channel) -> None:
    """Tell the consumer that there is something, and from then on keep to the limit."""
    with channel.changed:
        channel.waiting = False
        channel.changed.notify_all()


def _result(item: Any) -> Values:
    if type(item) is Failure:
        raise item.error
    return item  # type: ignore[no-any-return]


class _Slot:
    """An element whose function is running."""

    __slots__ = ("done", "result")

    def __init__(self) -> None:
        self.done = False
        self.result: Any = None


class _Pool(Channel):
    """What the workers of a parallel map share: slots, in the order of their elements."""

    def __init__(self, source: Any, function: Callable[[int, Values], Any], limit: int) -> None:
        super().__init__()
        self.source = source
        self.function = function
        self.limit = limit
        self.over = False
        self.count = 0
        self.busy = 0.0  # seconds in the function, of all workers together

    def take(self) -> tuple[int, Values, _Slot] | None:
        """The next element of the input with a slot for its result; None when there is no more."""
        while self._wait_for_room():
            with self.work:  # held while the input is read, and never while waiting for room
                if len(self.items) >= self.limit or self.closed or self.over:
                    continue
                slot = _Slot()
                try:
                    values = next(self.source)
                except StopIteration:
                    self._add(over=True)
                    return None
                except BaseException as error:
                    slot.result, slot.done = Failure(error), True
                    self._add(slot)
                    continue
                self.count += 1
                self._add(slot)
                return self.count - 1, values, slot
        return None

    def _wait_for_room(self) -> bool:
        with self.changed:
            while len(self.items) >= self.limit and not self.closed and not self.over:
                self.changed.wait()
            return not (self.closed or self.over)

    def _add(self, slot: _Slot | None = None, *, over: bool = False) -> None:
        with self.changed:
            if slot is not None:
                self.items.append(slot)
            self.over = over
            if over or (slot is not None and slot.done):
                self.changed.notify_all()


def _work(pool: _Pool) -> None:
    """The thread of a worker."""
    while True:
        taken = pool.take()
        if taken is None:
            return
        count, values, slot = taken
        start = time.perf_counter()
        try:
            slot.result = pool.function(count, values)
        except BaseException as error:
            slot.result = Failure(error)
        slot.done = True
        with pool.changed:
            pool.busy += time.perf_counter() - start
            pool.changed.notify_all()


class ParallelMap(Stage):
    """A function on several elements at a time, unless it is too quick for that to help."""

    apart = "all"

    def __init__(self, node: Map, source: Any, calls: int, ordered: bool) -> None:
        self._node = node
        self._source = source
        self._ordered = ordered
        self.workers = calls
        self._pool: _Pool | None = None
        self._done: deque[Values] = deque()  # results restored from a checkpoint
        self._count = 0
        self._at_once = node.function.calls_python
        self._busy = 0.0  # seconds in the function, on the consumer's thread

    @property
    def busy(self) -> float:
        """Seconds in the function; those of workers count as if they took turns."""
        pool = self._pool
        return self._busy if pool is None else self._busy + pool.busy / self.workers

    def _start(self) -> None:
        node = self._node

        def function(count: int, values: Values) -> Values:
            try:
                return node.function(values)
            except Exception as error:
                raise located(error, node, count) from error

        pool = self._pool = _Pool(self._source, function, self.workers)
        pool.count = self._count
        weakref.finalize(self, pool.close)
        for _ in range(self.workers):
            threading.Thread(target=_work, args=(pool,), name="map", daemon=True).start()

    def __next__(self) -> Values:
        if self._done:
            return _result(self._done.popleft())
        if self._at_once and self._pool is None:
            self._start()
        if self._pool is not None:
            return self._from(self._pool)
        values = next(self._source)
        start = time.perf_counter()
        try:
            result = self._node.function(values)
        except Exception as error:
            self._count += 1
            raise located(error, self._node, self._count - 1) from error
        self._count += 1
        self.made += 1
        took = time.perf_counter() - start
        self._busy += took
        if took > _SLOW and self._count in _PROBES:
            self._start()
        return result

    def _from(self, pool: _Pool) -> Values:
        with pool.changed:
            while True:
                slot = self._finished(pool)
                if slot is not None:
                    break
                if pool.over and not pool.items:
                    raise StopIteration
                pool.wait()
            pool.items.remove(slot)
            pool.changed.notify_all()
        result = _result(slot.result)
        self.made += 1
        return result

    @property
    def buffer(self) -> list[Values]:
        """The results that wait to be taken."""
        slots = [] if self._pool is None else list(self._pool.items)
        return [slot.result for slot in slots if slot.done and isinstance(slot.result, list)]

    def _finished(self, pool: _Pool) -> _Slot | None:
        if self._ordered:
            return pool.items[0] if pool.items and pool.items[0].done else None
        return next((slot for slot in pool.items if slot.done), None)

    def save(self) -> State:
        pool = self._pool
        if pool is None:
            return [self._count, saved(self._done), self._source.save()]
        with pool.work:
            with pool.changed:
                while not all(slot.done for slot in pool.items):
                    pool.wait()
                done = [slot.result for slot in pool.items]
            return [pool.count, saved([*self._done, *done]), self._source.save()]

    def restore(self, state: State) -> None:
        self._count, done, source = state
        self._done = deque(restored(done))
        self._source.restore(source)


_PROBES = frozenset([2, 3, *(64 * i for i in range(1, 1000))])  # not the first call, which prepares
