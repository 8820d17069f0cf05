"""What the processes of a cluster send each other: sums of arrays, and arrays end to end.

JAX sends them (by gloo between CPUs, by the library of the devices between accelerators), in
programs of one array with a row for each process. They run on a thread of their own, for a program
that waits for a process which has gone may never return: whoever waits here is woken by the roll.
"""

from __future__ import annotations

import atexit
import functools
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.values.errors import DeadlineExceededError, InternalError, InvalidArgumentError
from runnel.core.values.tracebacks import let_through
from runnel.core.values.types import Array
from runnel.distribute.cluster.roll import Roll

_AXIS = "process"
_ALIGNED = 64  # bytes, so that JAX can take an array's memory as it is
_REPORTED = 1.0  # seconds of waiting before the others are told what is waited for
_KNOWN = 1.0  # seconds in which the roll says who has gone, once an exchange failed


class Exchange:
    """The sums and collections that the processes of a roll make together."""

    def __init__(self, roll: Roll) -> None:
        self.roll = roll
        self._timeout: float | None = None  # how many seconds an exchange may take
        self.process, self.count = roll.process, len(roll.names)
        self._lock = threading.RLock()
        self._number = 0
        self._known: set[str] = set()
        self._tasks: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._is_busy = False
        threading.Thread(target=self._work, name="exchange", daemon=True).start()
        atexit.register(self._leave)

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """A context whose exchanges may take so many seconds each; 0 for as long as they need."""
        with self._lock:
            outer, self._timeout = self._timeout, seconds or None
            try:
                yield
            finally:
                self._timeout = outer

    def sums(self, arrays: Sequence[Array], bytes_per_pack: int = 0) -> list[Array]:
        """The sums of arrays over all processes, which have the same shapes everywhere.

        Those of one dtype are sent together, or in packs of at most so many bytes. A larger array
        is a pack of its own.
        """
        counted = [a.astype(np.int32) if a.dtype == bool else a for a in arrays]
        found: list[Any] = [None] * len(arrays)
        for dtype in sorted({a.dtype for a in counted}, key=str):
            places = [i for i, a in enumerate(counted) if a.dtype == dtype]
            for pack in _packs(places, counted, bytes_per_pack):
                parts, size = _laid_out([counted[i] for i in pack])
                total = self._run("sum", _packed(parts, size, dtype), [arrays[i] for i in pack])
                for place, (begin, part) in zip(pack, parts, strict=True):
                    own = total[begin : begin + part.size].reshape(part.shape)
                    found[place] = own > 0 if arrays[place].dtype == bool else own
        return found

    def first(self, arrays: Sequence[Array]) -> list[Array]:
        """The arrays of the first process, bit for bit."""
        found = []
        for array in arrays:
            data = np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
            sent = np.zeros(1 << max(3, (data.size - 1).bit_length()), np.uint8)
            if self.process == 0:
                sent[: data.size] = data
            told = self._run("sum", sent.view(np.uint32), [array])
            mine = told.view(np.uint8)[: data.size].tobytes()
            found.append(np.frombuffer(mine, array.dtype).reshape(array.shape))
        return found

    def gathered(self, array: Array) -> list[Array]:
        """The arrays of all processes, whose shapes may differ."""
        sizes = self._run("gather", np.array(array.shape, np.int64), [array])
        most = np.zeros(int(np.prod(sizes, axis=1).max()), array.dtype)
        most[: array.size] = array.ravel()
        whole = self._run("gather", most, [array])
        return [
            part[: int(np.prod(shape))].reshape(shape)
            for part, shape in zip(whole, sizes, strict=True)
        ]

    def _run(self, kind: str, array: Array, about: Sequence[Array]) -> Array:
        """A program on one array of each process."""
        if array.dtype.hasobject:
            message = f"Strings are not exchanged between processes (all-{kind})."
            raise InvalidArgumentError(None, None, message)
        shapes = ", ".join(f"{a.dtype}{list(a.shape)}" for a in about)
        what = f"all-{kind} of {shapes}"
        if not array.size:  # which it is for all
            return array if kind == "sum" else np.zeros((self.count, *array.shape), array.dtype)
        with self._lock:
            number = self._number
            self._number += 1
            if self.roll.has_failed:
                raise self.roll.error()
            key = f"{kind} {array.dtype} {array.shape}"
            if key not in self._known:
                self._compare(number, what, key)
                self._known.add(key)
            return self._awaited(number, key, what, functools.partial(self._program, kind, array))

    def _compare(self, number: int, what: str, key: str) -> None:
        """Before its first run, find out whether all processes are about to run this program."""
        self.roll.waits(number, key, what)
        try:
            found = self.roll.agree(f"exchange {number}", [key, what], self._timeout)
        except TimeoutError as error:
            raise self._late(number, what) from error
        self.roll.goes_on(number)
        for name, (its, told) in zip(self.roll.names, found, strict=True):
            if its != key:
                message = (
                    f"The programs differ: exchange {number} of {self.roll.names[self.process]} "
                    f"is {what}, that of {name} is {told}. All processes must run the same program."
                )
                raise InternalError(None, None, message)

    def _awaited(self, number: int, key: str, what: str, work: Callable[[], Array]) -> Array:
        woken = threading.Event()
        found: list[Any] = []
        errors: list[BaseException] = []

        def task() -> None:
            try:
                found.append(work())
            except BaseException as error:
                errors.append(error)
            woken.set()

        self._tasks.put(task)
        self.roll.on_failure(woken.set)
        limit = self._timeout
        try:
            if not woken.wait(_REPORTED if limit is None else min(limit, _REPORTED)):
                self.roll.waits(number, key, what)
                in_time = woken.wait(None if limit is None else max(0.0, limit - _REPORTED))
                self.roll.goes_on(number)
                if not in_time:
                    raise self._late(number, what)
        finally:
            self.roll.forget(woken.set)
        if found:
            return found[0]  # type: ignore[no-any-return]
        if errors:
            if isinstance(errors[0], Exception):
                let_through(errors[0])
            raise self.roll.error(_KNOWN) from errors[0]
        raise self.roll.error()

    def _late(self, number: int, what: str) -> DeadlineExceededError:
        message = f"Exchange {number} ({what}) took more than {self._timeout:g} seconds."
        return DeadlineExceededError(None, None, message)

    def _work(self) -> None:
        while True:
            task = self._tasks.get()
            self._is_busy = True
            task()
            self._is_busy = False

    def _program(self, kind: str, array: Array) -> Array:
        mesh, own = _mesh(self.count)
        rows = xla.jax.sharding.NamedSharding(mesh, xla.jax.sharding.PartitionSpec(_AXIS))
        row = xla.jax.device_put(array[None], own)
        whole = xla.jax.make_array_from_single_device_arrays(
            (self.count, *array.shape), rows, [row]
        )
        return xla.fetched(_compiled(kind, self.count)(whole).addressable_data(0))  # type: ignore[no-any-return]

    def _leave(self) -> None:
        """At the end of the program: a thread that waits for ever must not keep it."""
        self.roll.leave()
        if self._is_busy:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(1)


def _packs(places: Sequence[int], arrays: Sequence[Array], limit: int) -> list[list[int]]:
    """The places of arrays that are sent together: of at most `limit` bytes, 0 for all at once."""
    packs: list[list[int]] = [[]]
    size = 0
    for place in places:
        size += arrays[place].nbytes
        if limit and packs[-1] and size > limit:
            packs.append([])
            size = arrays[place].nbytes
        packs[-1].append(place)
    return packs


def _laid_out(arrays: Sequence[Array]) -> tuple[list[tuple[int, Array]], int]:
    """Where arrays begin in one, and how many elements that has."""
    parts, end = [], 0
    for array in arrays:
        parts.append((end, array))
        step = max(1, _ALIGNED // array.dtype.itemsize)
        end += -(-array.size // step) * step
    return parts, end


def _packed(parts: Sequence[tuple[int, Array]], size: int, dtype: Any) -> Array:
    if len(parts) == 1 and parts[0][1].size == size:
        return parts[0][1].ravel()
    whole = np.zeros(size, dtype)
    for begin, array in parts:
        whole[begin : begin + array.size] = array.ravel()
    return whole


@functools.cache
def _mesh(count: int) -> tuple[Any, Any]:
    """The first devices of all processes, and that of this one."""
    firsts: dict[int, Any] = {}
    for device in xla.jax.devices():
        firsts.setdefault(device.process_index, device)
    devices = [firsts[number] for number in range(count)]
    return xla.jax.sharding.Mesh(np.array(devices), (_AXIS,)), xla.jax.local_devices()[0]


@functools.cache
def _compiled(kind: str, count: int) -> Any:
    mesh, _ = _mesh(count)
    spec = xla.jax.sharding.PartitionSpec

    def exchanged(row: Any) -> Any:
        if kind == "sum":
            return xla.lax.psum(row[0], _AXIS)
        return xla.lax.all_gather(row[0], _AXIS)

    return xla.compile(
        xla.jax.shard_map(
            exchanged, mesh=mesh, in_specs=spec(_AXIS), out_specs=spec(), check_vma=False
        )
    )
