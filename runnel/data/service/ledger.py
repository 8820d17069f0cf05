"""The dispatcher's books: datasets, workers, jobs, and how far the parts of sources are given out.

Every change goes through `_note`, which writes it to the journal, if there is one, and then makes
it. A restart makes the changes of the journal again.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from runnel.core.settings.logging import warning
from runnel.core.values.errors import AlreadyExistsError, InvalidArgumentError, NotFoundError
from runnel.data.graph.fingerprints import fingerprint
from runnel.data.graph.portable import from_bytes, to_bytes
from runnel.data.nodes.node import Node
from runnel.data.service.journal import Journal
from runnel.data.service.policies import ShardingPolicy


@dataclass
class Entry:
    """A dataset: its steps, and its bytes once they were needed."""

    print: int
    node: Node | None = None
    data: bytes | None = None

    def steps(self) -> Node:
        if self.node is None:
            assert self.data is not None
            self.node = from_bytes(self.data)
        return self.node

    def packed(self) -> bytes:
        if self.data is None:
            assert self.node is not None
            self.data = to_bytes(self.node)
        return self.data


@dataclass
class Job:
    """A passage through a dataset, for all who ask with its key."""

    number: int
    dataset: str
    policy: ShardingPolicy
    consumers: int
    key: tuple[str, int] | None
    tasks: list[tuple[str, int]] = field(default_factory=list)  # addresses and numbers
    lock: Any = field(default_factory=threading.Lock)  # held while tasks are given out


class Ledger:
    """What a dispatcher knows."""

    def __init__(self, folder: str | None, timeout: float) -> None:
        self._lock = threading.RLock()
        self._timeout = timeout  # seconds after which a silent worker counts as gone
        self._datasets: dict[str, Entry] = {}
        self._jobs: dict[int, Job] = {}
        self._keys: dict[tuple[str, int], Job] = {}
        self._workers: dict[str, float] = {}  # when each was heard of last
        self._splits: dict[tuple[int, int, int], int] = defaultdict(int)
        self._names, self._numbers = itertools.count(1000), itertools.count(2000)
        self._journal = None if folder is None else Journal(folder)
        if self._journal is not None:
            self._restore(self._journal)

    def _restore(self, journal: Journal) -> None:
        for kind, *parts in journal.read():
            getattr(self, f"_make_{kind}")(*parts)
        journal.begin(self._changes())

    def _changes(self) -> Iterator[list[Any]]:
        """The changes that would make these books."""
        for name, entry in self._datasets.items():
            yield ["dataset", name, str(entry.print), entry.data]
        for address in self._workers:
            yield ["worker", address]
        for job in self._jobs.values():
            key = None if job.key is None else list(job.key)
            yield ["job", job.number, job.dataset, int(job.policy), job.consumers, key]
            for task in job.tasks:
                yield ["task", job.number, *task]
        for place, count in self._splits.items():
            yield ["split", *place, count]

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()

    def _note(self, kind: str, *parts: Any) -> None:
        if self._journal is not None:
            self._journal.write(kind, *parts)
        getattr(self, f"_make_{kind}")(*parts)

    def _make_dataset(self, name: str, print: str, data: bytes) -> None:
        self._datasets[name] = Entry(int(print), None, data)
        if name.isdigit():  # later ones get other numbers
            self._names = itertools.count(max(int(name), next(self._names) - 1) + 1)

    def _make_worker(self, address: str) -> None:
        self._workers[address] = time.monotonic()

    def _make_job(self, number: int, dataset: str, policy: int, consumers: int, key: Any) -> None:
        job = Job(number, dataset, ShardingPolicy(policy), consumers, tuple(key) if key else None)
        self._jobs[number] = job
        self._numbers = itertools.count(max(number, next(self._numbers) - 1) + 1)
        if job.key is not None:
            self._keys[job.key] = job

    def _make_task(self, job: int, address: str, number: int) -> None:
        self._jobs[job].tasks.append((address, number))

    def _make_split(self, job: int, source: int, repetition: int, count: int) -> None:
        self._splits[job, source, repetition] = count

    def _make_end(self, number: int) -> None:
        self._jobs.pop(number, None)
        for place in [place for place in self._splits if place[0] == number]:
            del self._splits[place]

    def add(self, entry: Entry, wanted: str | None) -> str:
        """Register a dataset; its number, or the name it was given."""
        with self._lock:
            known = None if wanted is None else self._datasets.get(wanted)
            if known is not None:
                if known.print != entry.print:
                    message = f"Another dataset is registered as {wanted!r} already."
                    raise InvalidArgumentError(None, None, message)
                return str(wanted)
            name = str(next(self._names)) if wanted is None else wanted
            if self._journal is not None:
                try:
                    self._note("dataset", name, str(entry.print), entry.packed())
                except InvalidArgumentError as error:
                    warning(f"After a restart the dispatcher will not know {name!r}: {error}")
            self._datasets[name] = entry
            return name

    def dataset(self, name: str) -> Entry:
        found = self._datasets.get(name)
        if found is None:
            message = f"There is no dataset {name!r}; it must be registered first."
            raise NotFoundError(None, None, message)
        return found

    def hear(self, address: str) -> None:
        """A worker says that it is there."""
        with self._lock:
            if address not in self._workers:
                self._note("worker", address)
            self._workers[address] = time.monotonic()

    def lose(self, address: str) -> None:
        """A worker does not answer."""
        with self._lock:
            self._workers.pop(address, None)

    def workers(self) -> list[str]:
        """The addresses of those that are there."""
        oldest = time.monotonic() - self._timeout
        with self._lock:
            return [address for address, heard in self._workers.items() if heard >= oldest]

    def job(
        self, dataset: str, policy: ShardingPolicy, key: tuple[str, int] | None, consumers: int
    ) -> Job:
        """The job of a key, or a new one."""
        with self._lock:
            found = None if key is None else self._keys.get(key)
            if found is not None:
                if (found.dataset, found.policy) != (dataset, policy):
                    message = f"The job {key!r} exists already, with another dataset or mode."
                    raise AlreadyExistsError(None, None, message)
                return found
            number = next(self._numbers)
            self._note("job", number, dataset, int(policy), consumers, key and list(key))
            return self._jobs[number]

    def numbered(self, number: int) -> Job:
        found = self._jobs.get(number)
        if found is None:
            raise NotFoundError(None, None, f"There is no job {number}.")
        return found

    def give(self, job: Job, address: str, number: int) -> None:
        """Note that a worker has a task of a job."""
        with self._lock:
            self._note("task", job.number, address, number)

    def split(self, job: int, source: int, repetition: int) -> int:
        """The number of the next part of a source."""
        with self._lock:
            self.numbered(job)
            count = self._splits[job, source, repetition]
            self._note("split", job, source, repetition, count + 1)
            return count

    def end(self, number: int) -> None:
        """Forget a job, unless it has a name and so may be asked for again."""
        with self._lock:
            job = self._jobs.get(number)
            if job is not None and job.key is None:
                self._note("end", number)


def entry_of(node: Node) -> Entry:
    """A dataset to register."""
    return Entry(fingerprint(node), node)
