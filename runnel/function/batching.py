"""`tf.nondifferentiable_batch_function`: calls from several threads, joined into batches."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.op.context import building, state
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    UnavailableError,
)
from runnel.core.values.type_spec import TensorSpec
from runnel.function.function import function as traced
from runnel.ops.control.python_functions import numpy_function


def nondifferentiable_batch_function(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None,
    max_enqueued_batches: int = 10,
    autograph: bool = True,
    enable_large_batch_splitting: bool = True,
) -> Callable[..., Any]:
    """Decorator: threads that call the function at the same time share one call of it.

    Their arguments are joined along the first axis, up to `max_batch_size` rows; a call waits
    `batch_timeout_micros` at most for others. `allowed_batch_sizes` are what batches are filled up
    to, by their first row. Neither a call of more than `max_batch_size` rows nor the gradient is
    possible; so `enable_large_batch_splitting` finds nothing to split.

    >>> @tf.nondifferentiable_batch_function(1, 8, batch_timeout_micros=10)
    ... def double(x):
    ...     return 2 * x
    >>> double(tf.constant([1, 2])).numpy()
    array([2, 4], dtype=int32)
    """
    sizes = [max_batch_size] if allowed_batch_sizes is None else list(allowed_batch_sizes)
    fixed = allowed_batch_sizes is not None

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        graph = traced(fn, autograph=autograph, reduce_retracing=True)
        limits = (max_batch_size, batch_timeout_micros / 1e6, sizes if fixed else [])
        batcher = _Batcher(graph, *limits, num_batch_threads, max_enqueued_batches)

        def batched(*args: Tensor) -> Any:
            if any(not hasattr(a, "dtype") for a in args):
                raise AttributeError(f"The arguments must be tensors, got {args!r}.")
            if sizes != sorted(set(sizes)):
                raise _bad(f"allowed_batch_sizes must increase, got {sizes}")
            if state.graph is None:
                return batcher.call(list(args))
            return _in_a_graph(graph, batcher, args)

        return batched

    return decorate


def _in_a_graph(graph: Any, batcher: _Batcher, args: Sequence[Tensor]) -> Any:
    """The call as an operation, which joins in when it runs."""
    specs = [TensorSpec([None, *a.shape[1:]] if a.ndim else [], a.dtype) for a in args]
    outputs = graph.get_concrete_function(*specs).structured_outputs
    flat = nest.flatten(outputs)

    def run(*given: Any) -> list[Any]:
        return [t.numpy() for t in nest.flatten(batcher.call(list(given)))]

    found = numpy_function(run, args, [t.dtype for t in flat])
    for tensor, spec in zip(found, flat, strict=True):
        tensor.set_shape([None, *spec.shape[1:]])
    return nest.pack_sequence_as(outputs, found)


def _bad(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, f"nondifferentiable_batch_function: {message}.")


class _Request:
    """The arguments of one call, and later its part of the answer, or the error."""

    def __init__(self, args: list[Tensor], rows: int) -> None:
        self.args, self.rows = args, rows
        self.answer: Any = None
        self.error: Exception | None = None
        self.taken = False
        self.done = threading.Event()


class _Batcher:
    def __init__(
        self, run: Any, most: int, timeout: float, sizes: list[int], threads: int, waiting: int
    ) -> None:
        self._run, self._most, self._timeout, self._sizes = run, most, timeout, sizes
        self._slots = threading.Semaphore(threads)
        self._limit = waiting * most
        self._changed = threading.Condition()
        self._pending: list[_Request] = []

    def call(self, args: list[Any]) -> Any:
        tensors = [convert_to_tensor(a) for a in args]
        request = _Request(tensors, self._rows(tensors))
        with self._changed:
            if sum(r.rows for r in self._pending) + request.rows > self._limit:
                raise UnavailableError(None, None, "The queue of batches is full.")
            self._pending.append(request)
            self._changed.notify_all()
        self._lead(request)
        request.done.wait()
        if request.error is not None:
            raise request.error
        return request.answer

    def _rows(self, tensors: list[Tensor]) -> int:
        if not tensors or any(not t.ndim for t in tensors):
            raise _bad("batched tensors must have a dimension at least")
        rows = {int(t.shape[0]) for t in tensors}  # type: ignore[arg-type]
        if len(rows) != 1:
            raise _bad(f"all tensors must have the same first dimension, got {sorted(rows)}")
        if max(rows) > self._most:
            raise _bad(f"a call of {max(rows)} rows is larger than max_batch_size {self._most}")
        return rows.pop()

    def _lead(self, request: _Request) -> None:
        """Wait for others, unless somebody takes this request along, and run the batch."""
        end = time.monotonic() + self._timeout
        with self._changed:
            while not request.taken and sum(r.rows for r in self._pending) < self._most:
                left = end - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
            if request.taken:
                return
            batch = self._take(request)
        with self._slots:
            self._answer(batch)

    def _take(self, first: _Request) -> list[_Request]:
        batch, rows = [first], first.rows
        for other in self._pending:
            if other is not first and rows + other.rows <= self._most:
                batch.append(other)
                rows += other.rows
        for request in batch:
            request.taken = True
            self._pending.remove(request)
        self._changed.notify_all()
        return batch

    def _answer(self, batch: list[_Request]) -> None:
        try:
            with building(None):
                parts = self._split(self._run(*self._joined(batch)), [r.rows for r in batch])
            for request, part in zip(batch, parts, strict=True):
                request.answer = part
        except Exception as error:
            for request in batch:
                request.error = error
        finally:
            for request in batch:
                request.done.set()

    def _joined(self, batch: list[_Request]) -> list[Tensor]:
        rows = sum(r.rows for r in batch)
        size = next((s for s in self._sizes if s >= rows), rows)
        columns = zip(*[[np.asarray(t) for t in r.args] for r in batch], strict=True)
        joined = [np.concatenate(column) for column in columns]
        filled = [np.concatenate([a, *[a[:1]] * (size - rows)]) if rows else a for a in joined]
        return [convert_to_tensor(a) for a in filled]

    def _split(self, outputs: Any, rows: list[int]) -> list[Any]:
        flat = nest.flatten(outputs)
        for tensor in flat:
            if not tensor.ndim or tensor.shape[0] < sum(rows):
                message = f"Batched outputs must have {sum(rows)} rows, got shape {tensor.shape}."
                raise FailedPreconditionError(None, None, message)
        ends = np.cumsum([0, *rows])
        return [
            nest.pack_sequence_as(outputs, [t[start:stop] for t in flat])
            for start, stop in itertools.pairwise(ends)
        ]
