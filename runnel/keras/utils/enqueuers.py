"""Batches prepared ahead by threads or processes, and handed out in order."""

from __future__ import annotations

import itertools
import multiprocessing
import multiprocessing.pool
import queue
import random
import threading
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import numpy as np

_sources: dict[int, Any] = {}  # what workers read from, by the number of its enqueuer
_numbers = itertools.count()
_WAIT = 0.1  # seconds between looks at whether to stop


@contextmanager
def forking() -> Iterator[None]:
    """Processes begun inside only make batches: JAX's warning of forks is kept back."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"os\.fork\(\) was called", RuntimeWarning)
        yield


def _item(number: int, index: int) -> Any:
    return _sources[number][index]


def _next(number: int) -> Any:
    return next(_sources[number])


def _start_worker(sources: dict[int, Any], seed: int | None) -> None:
    """In a new process: take over what to read from, and seed NumPy differently in each."""
    _sources.update(sources)
    worker = multiprocessing.current_process()
    worker.name = f"Keras_worker_{worker.name}"
    if seed is not None:
        np.random.seed(seed + (worker.ident or 0))


class SequenceEnqueuer:
    """Workers that fill a queue with results; subclasses say with which."""

    def __init__(self, sequence: Any, use_multiprocessing: bool = False) -> None:
        self.sequence = sequence
        self.use_multiprocessing = use_multiprocessing
        self.uid = next(_numbers)
        self.workers = 0
        self.random_seed: int | None = None
        self.queue: queue.Queue[Any] = queue.Queue()
        self.run_thread: threading.Thread | None = None
        self.stop_signal: threading.Event | None = None

    def is_running(self) -> bool:
        """Whether it was started and not stopped."""
        return self.stop_signal is not None and not self.stop_signal.is_set()

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Begin to fill the queue, at most `max_queue_size` batches ahead."""
        self.workers = workers
        self.queue = queue.Queue(max_queue_size)
        self.stop_signal = threading.Event()
        self.run_thread = threading.Thread(target=self._run, daemon=True)
        self.run_thread.start()

    def stop(self, timeout: float | None = None) -> None:
        """End the workers and wait for them, at most `timeout` seconds."""
        if self.stop_signal is None or self.run_thread is None:
            return
        self.stop_signal.set()
        if self.run_thread is not threading.current_thread():
            self.run_thread.join(timeout)
        _sources.pop(self.uid, None)

    def __del__(self) -> None:
        if self.is_running():
            self.stop()

    def get(self) -> Iterator[Any]:
        """The results, in order."""
        raise NotImplementedError(f"{type(self).__name__} must implement `get`.")

    def _run(self) -> None:
        raise NotImplementedError(f"{type(self).__name__} must implement `_run`.")

    def _pool(self) -> multiprocessing.pool.Pool:
        if not self.use_multiprocessing:
            return multiprocessing.pool.ThreadPool(self.workers)
        shared = {self.uid: self.sequence}
        with forking():
            return multiprocessing.Pool(self.workers, _start_worker, (shared, self.random_seed))

    def _put(self, result: Any) -> bool:
        """Queue a result; False when the enqueuer was stopped meanwhile."""
        while self.is_running():
            try:
                self.queue.put(result, timeout=_WAIT)
                return True
            except queue.Full:
                continue
        return False


class OrderedEnqueuer(SequenceEnqueuer):
    """The batches of a `Sequence`, epoch after epoch, in order or shuffled.

    >>> class Numbers(tf.keras.utils.Sequence):
    ...     def __len__(self):
    ...         return 2
    ...     def __getitem__(self, index):
    ...         return index
    >>> enqueuer = tf.keras.utils.OrderedEnqueuer(Numbers())
    >>> enqueuer.start()
    >>> batches = enqueuer.get()
    >>> [next(batches) for _ in range(4)]
    [0, 1, 0, 1]
    >>> enqueuer.stop()
    """

    def __init__(
        self, sequence: Any, use_multiprocessing: bool = False, shuffle: bool = False
    ) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.shuffle = shuffle

    def _run(self) -> None:
        order = list(range(len(self.sequence)))
        while self.is_running():
            if self.shuffle:
                random.shuffle(order)
            _sources[self.uid] = self.sequence
            with closing(self._pool()) as pool:
                for index in order:
                    if not self._put(pool.apply_async(_item, (self.uid, index))):
                        return
                self._wait_for_consumer()
            if self.is_running():
                self.sequence.on_epoch_end()

    def _wait_for_consumer(self) -> None:
        # `on_epoch_end` may change the batches: all of the epoch must be prepared before it.
        assert self.stop_signal is not None
        while self.queue.unfinished_tasks and self.is_running():
            self.stop_signal.wait(_WAIT / 10)

    def get(self) -> Iterator[Any]:
        """The batches, without end; stop the enqueuer to end them."""
        while self.is_running():
            try:
                batch = self.queue.get(timeout=_WAIT).get()
            except queue.Empty:
                continue
            except Exception:
                self.stop()
                raise
            self.queue.task_done()
            if batch is not None:
                yield batch


class GeneratorEnqueuer(SequenceEnqueuer):
    """What a generator yields, prepared ahead; ends with the generator.

    >>> enqueuer = tf.keras.utils.GeneratorEnqueuer(iter([1, 2, 3]))
    >>> enqueuer.start()
    >>> list(enqueuer.get())
    [1, 2, 3]
    >>> enqueuer.stop()
    """

    def __init__(
        self, generator: Any, use_multiprocessing: bool = False, random_seed: int | None = None
    ) -> None:
        super().__init__(generator, use_multiprocessing)
        self.random_seed = random_seed

    def _run(self) -> None:
        _sources[self.uid] = self.sequence
        with closing(self._pool()) as pool:
            while self._put(pool.apply_async(_next, (self.uid,))):
                pass

    def get(self) -> Iterator[Any]:
        """The generator's values in the order they were asked for."""
        try:
            while self.is_running():
                try:
                    result = self.queue.get(timeout=_WAIT)
                except queue.Empty:
                    continue
                value = result.get()
                self.queue.task_done()
                if value is not None:
                    yield value
        except StopIteration:
            # Another worker may still hold a value that was drawn before the end.
            yield from self._rest()
        except Exception as error:
            self.stop()
            if "generator already executing" not in str(error):
                raise
            raise RuntimeError(
                "Several workers asked a generator that is not thread-safe: use one worker, or "
                "guard the generator with a lock."
            ) from error

    def _rest(self) -> Iterator[Any]:
        self.stop()
        while not self.queue.empty():
            result = self.queue.get()
            result.wait()
            if result.successful() and result.get() is not None:
                yield result.get()
