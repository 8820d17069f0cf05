"""The servers: a dispatcher, which knows datasets and jobs, and workers, which make elements."""

from __future__ import annotations

import itertools
import threading
import weakref
from dataclasses import dataclass, field

from runnel.core import structured_value
from runnel.core.errors import AlreadyExistsError, InvalidArgumentError, NotFoundError
from runnel.data.node import Node
from runnel.data.service.policies import DispatcherConfig, ShardingPolicy, WorkerConfig
from runnel.data.service.sharding import part_of
from runnel.data.service.tasks import Source, Task
from runnel.data.service.wire import Listener, Message

_running: weakref.WeakValueDictionary[str, DispatchServer] = weakref.WeakValueDictionary()


def dispatcher_at(address: str) -> DispatchServer | None:
    """The dispatcher with an address, if it runs in this process."""
    return _running.get(address)


class _Server:
    """What listens on a port until it is stopped."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listener: Listener | None = None

    def _answer(self, request: Message) -> Message:
        raise NotImplementedError

    def start(self) -> None:
        """Begin to answer."""
        if self._listener is None:
            holder = weakref.ref(self)  # the thread must not keep a dropped server alive

            def answer(request: Message) -> Message:
                server = holder()
                if server is None:
                    raise NotFoundError(None, None, "The server has been dropped.")
                return server._answer(request)

            self._listener = Listener(self._port, answer)
            weakref.finalize(self, self._listener.close)

    def join(self) -> None:
        """Wait until the server is stopped."""
        if self._listener is not None:
            self._listener.join()

    def stop(self) -> None:
        """Answer no more."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    @property
    def _address(self) -> str:
        if self._listener is None:
            raise RuntimeError(f"{type(self).__name__}: it has not been started.")
        return f"localhost:{self._listener.port}"


@dataclass
class _Job:
    """A passage through a dataset, for all who ask with its key."""

    dataset: str
    policy: ShardingPolicy
    tasks: list[tuple[str, int]] = field(default_factory=list)  # addresses and numbers


class DispatchServer(_Server):
    """Knows the datasets of the service, its workers, and who does what.

    It listens on this machine. Datasets are registered in its own process; they may be read from
    others with `from_dataset_id`.

    >>> service = tf.data.experimental.service
    >>> dispatcher = service.DispatchServer()
    >>> address = dispatcher.target.split("://")[1]
    >>> worker = service.WorkerServer(service.WorkerConfig(address))
    >>> dataset = tf.data.Dataset.range(3).apply(
    ...     service.distribute("distributed_epoch", dispatcher.target)
    ... )
    >>> sorted(int(x) for x in dataset)
    [0, 1, 2]
    >>> worker.stop()
    >>> dispatcher.stop()
    """

    def __init__(self, config: DispatcherConfig | None = None, start: bool = True) -> None:
        self._config = config or DispatcherConfig()
        super().__init__(self._config.port)
        self._lock = threading.Lock()
        self._datasets: dict[str, Node] = {}
        self._workers: list[weakref.ref[WorkerServer]] = []
        self._jobs: dict[tuple[str, int], _Job] = {}
        self._numbers = itertools.count(1000)
        if start:
            self.start()

    def start(self) -> None:
        """Begin to answer.

        >>> dispatcher = tf.data.experimental.service.DispatchServer(start=False)
        >>> dispatcher.start()
        >>> dispatcher.stop()
        """
        super().start()
        _running[self._address] = self

    def stop(self) -> None:
        """Answer no more."""
        if self._listener is not None:
            _running.pop(self._address, None)
        super().stop()

    @property
    def target(self) -> str:
        """The protocol and the address, as `distribute` takes them."""
        return f"{self._config.protocol}://{self._address}"

    def _add(self, node: Node, dataset_id: str | None) -> str:
        """Register a dataset; its number, or the name it was given."""
        with self._lock:
            name = str(next(self._numbers)) if dataset_id is None else dataset_id
            known = self._datasets.get(name)
            if known is not None:
                if known.structure.spec != node.structure.spec:
                    message = f"A dataset {name!r} of other elements is registered already."
                    raise InvalidArgumentError(None, None, message)
                return name
            self._datasets[name] = node
            return name

    def _join(self, worker: WorkerServer) -> None:
        with self._lock:
            self._workers.append(weakref.ref(worker))

    def _answer(self, request: Message) -> Message:
        asked = request.get("do")
        if asked == "describe":
            spec = self._dataset(str(request["dataset"])).structure.spec
            return {"spec": structured_value.encode(spec).SerializeToString()}
        if asked == "job":
            return {"tasks": [list(task) for task in self._job(request).tasks]}
        raise InvalidArgumentError(None, None, f"The dispatcher cannot do {asked!r}.")

    def _dataset(self, name: str) -> Node:
        found = self._datasets.get(name)
        if found is None:
            raise NotFoundError(None, None, f"There is no dataset {name!r} at {self._address}.")
        return found

    def _job(self, request: Message) -> _Job:
        name, policy = str(request["dataset"]), ShardingPolicy(int(request["policy"]))
        key = str(request["name"]), int(request["repetition"])
        dataset = self._dataset(name)
        with self._lock:
            workers = [w for w in (ref() for ref in self._workers) if w is not None and w.running]
            job = self._jobs.get(key) if request["name"] is not None else None
            if job is not None:
                if (job.dataset, job.policy) != (name, policy):
                    message = f"The job {key[0]!r} exists already, with another dataset or mode."
                    raise AlreadyExistsError(None, None, message)
                return job
            job = _Job(name, policy)
            if not workers:
                return job  # the client will ask again
            named = request["name"] is not None
            self._divide(job, dataset, workers, int(request["consumers"]), named)
            if named:
                self._jobs[key] = job
            return job

    def _divide(
        self, job: _Job, node: Node, workers: list[WorkerServer], consumers: int, named: bool
    ) -> None:
        shared = Source(node) if job.policy is ShardingPolicy.DYNAMIC else None
        for index, worker in enumerate(workers):
            source = shared or Source(part_of(node, job.policy, len(workers), index))
            number = worker._take(Task(source, consumers, shared=named))
            job.tasks.append((worker._address, number))


class WorkerServer(_Server):
    """Makes elements for a dispatcher in the same process, and hands them to any process.

    >>> service = tf.data.experimental.service
    >>> dispatcher = service.DispatchServer()
    >>> address = dispatcher.target.split("://")[1]
    >>> worker = service.WorkerServer(service.WorkerConfig(dispatcher_address=address))
    >>> worker.stop()
    >>> dispatcher.stop()
    """

    def __init__(self, config: WorkerConfig, start: bool = True) -> None:
        if not config.dispatcher_address:
            raise ValueError("WorkerServer: `dispatcher_address` must be given.")
        self._config = config
        super().__init__(config.port)
        self._tasks: dict[int, Task] = {}
        self._numbers = itertools.count()
        if start:
            self.start()

    @property
    def running(self) -> bool:
        """Whether it answers."""
        return self._listener is not None

    def start(self) -> None:
        """Begin to work for the dispatcher."""
        dispatcher = dispatcher_at(self._config.dispatcher_address)
        if dispatcher is None:
            raise NotImplementedError(
                f"WorkerServer: no dispatcher of this process listens at "
                f"{self._config.dispatcher_address}. Workers of other processes are not supported, "
                "since a dataset's functions are not sent over the network."
            )
        super().start()
        dispatcher._join(self)

    def _take(self, task: Task) -> int:
        number = next(self._numbers)
        self._tasks[number] = task
        return number

    def _answer(self, request: Message) -> Message:
        number = int(request["task"])
        task = self._tasks.get(number)
        if task is None:
            raise NotFoundError(None, None, "The worker has no such task.")
        if request.get("do") == "release":
            if not task.shared:
                del self._tasks[number]
            return {}
        values = task.next(request["consumer"], int(request["round"]), request["trainer"])
        return {"over": True} if values is None else {"values": list(values)}
