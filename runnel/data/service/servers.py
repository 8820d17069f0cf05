"""The servers: a dispatcher, which knows datasets and jobs, and workers, which make elements."""

from __future__ import annotations

import itertools
import threading
import time
import weakref
from contextlib import suppress
from typing import Any

from runnel.core.composite import structured_value
from runnel.core.values.errors import InvalidArgumentError, NotFoundError, OpError, UnavailableError
from runnel.data.graph.portable import from_bytes
from runnel.data.nodes.node import Node
from runnel.data.service.ledger import Entry, Job, Ledger, entry_of
from runnel.data.service.policies import DispatcherConfig, ShardingPolicy, WorkerConfig
from runnel.data.service.sharding import part_of
from runnel.data.service.splits import divided
from runnel.data.service.tasks import Source, Task
from runnel.data.service.wire import Caller, Listener, Message, PatientCaller

_HEARTBEAT = 1.0  # seconds between the signs of life of a worker
_SILENCE = 60.0  # seconds without one after which a worker counts as gone
_PATIENCE = 60.0  # seconds for a dispatcher to come back
_ANY = ("localhost", "127.0.0.1")

_running: weakref.WeakValueDictionary[str, DispatchServer] = weakref.WeakValueDictionary()


def dispatcher_at(address: str) -> DispatchServer | None:
    """The dispatcher with an address, if it runs in this process."""
    host, _, port = address.rpartition(":")
    return _running.get(port) if host in _ANY else None


class _Server:
    """What listens on a port until it is stopped."""

    def __init__(self, port: int, *, everywhere: bool) -> None:
        self._port, self._everywhere = port, everywhere
        self._listener: Listener | None = None

    def _answer(self, request: Message) -> Message:
        found = getattr(self, f"_do_{request.get('do')}", None)
        if found is None:
            message = f"{type(self).__name__}: it cannot do {request.get('do')!r}."
            raise InvalidArgumentError(None, None, message)
        return found(request)  # type: ignore[no-any-return]

    def start(self) -> None:
        """Begin to answer."""
        if self._listener is None:
            holder = weakref.ref(self)  # the thread must not keep a dropped server alive

            def answer(request: Message) -> Message:
                server = holder()
                if server is None:
                    raise NotFoundError(None, None, "The server has been dropped.")
                return server._answer(request)

            self._listener = Listener(self._port, answer, everywhere=self._everywhere)
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
    def _bound(self) -> int:
        if self._listener is None:
            raise RuntimeError(f"{type(self).__name__}: it has not been started.")
        return self._listener.port


class DispatchServer(_Server):
    """Knows the datasets of the service, its workers, and who does what.

    With a port of its own it answers on all network interfaces, for workers and trainers on other
    machines; on a free one (port 0) only on this machine. Nobody is asked for a password: use it in
    a network that you trust.

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
        self._config = config = config or DispatcherConfig()
        if config.fault_tolerant_mode and not config.work_dir:
            raise ValueError(
                "DispatchServer: `fault_tolerant_mode` needs a `work_dir` to write its journal to."
            )
        super().__init__(config.port, everywhere=bool(config.port))
        silence = config.worker_timeout_ms
        folder = config.work_dir if config.fault_tolerant_mode else None
        self._ledger = Ledger(folder, _SILENCE if silence is None else silence / 1000)
        if start:
            self.start()

    def start(self) -> None:
        """Begin to answer.

        >>> dispatcher = tf.data.experimental.service.DispatchServer(start=False)
        >>> dispatcher.start()
        >>> dispatcher.stop()
        """
        super().start()
        _running[str(self._bound)] = self

    def stop(self) -> None:
        """Answer no more."""
        if self._listener is not None:
            _running.pop(str(self._bound), None)
            self._ledger.close()
        super().stop()

    @property
    def target(self) -> str:
        """The protocol and the address, as `distribute` takes them."""
        return f"{self._config.protocol}://localhost:{self._bound}"

    def _num_workers(self) -> int:
        return len(self._ledger.workers())

    def _add(self, node: Node, dataset_id: str | None) -> str:
        """Register a dataset of this process."""
        return self._ledger.add(entry_of(node), dataset_id)

    def _do_register(self, request: Message) -> Message:
        entry = Entry(int(request["print"]), from_bytes(request["data"]), request["data"])
        return {"name": self._ledger.add(entry, request["name"])}

    def _do_describe(self, request: Message) -> Message:
        spec = self._ledger.dataset(request["dataset"]).steps().structure.spec
        return {"spec": structured_value.encode(spec).SerializeToString()}

    def _do_dataset(self, request: Message) -> Message:
        return {"data": self._ledger.dataset(request["dataset"]).packed()}

    def _do_join(self, request: Message) -> Message:
        self._ledger.hear(str(request["address"]))
        return {}

    def _do_job(self, request: Message) -> Message:
        name = request["name"]
        key = None if name is None else (str(name), int(request["repetition"]))
        policy, consumers = ShardingPolicy(int(request["policy"])), int(request["consumers"])
        dataset = str(request["dataset"])
        self._ledger.dataset(dataset)
        job = self._ledger.job(dataset, policy, key, consumers)
        return {"job": job.number, "tasks": self._tasks(job)}

    def _do_tasks(self, request: Message) -> Message:
        return {"tasks": self._tasks(self._ledger.numbered(int(request["job"])))}

    def _do_split(self, request: Message) -> Message:
        return {"split": self._ledger.split(request["job"], request["source"], request["round"])}

    def _do_end(self, request: Message) -> Message:
        self._ledger.end(int(request["job"]))
        return {}

    def _tasks(self, job: Job) -> list[list[Any]]:
        """The tasks of a job; workers that have none yet get one, where each may come and go."""
        with job.lock:
            workers = self._ledger.workers()
            if not job.tasks or job.policy in (ShardingPolicy.OFF, ShardingPolicy.DYNAMIC):
                busy = {address for address, _ in job.tasks}
                for index, address in enumerate(workers):
                    if address not in busy:
                        self._give(job, address, len(workers), index)
            return [[*task] for task in job.tasks]

    def _give(self, job: Job, address: str, count: int, index: int) -> None:
        try:
            answer = Caller(address).ask(
                do="take",
                job=job.number,
                dataset=job.dataset,
                print=str(self._ledger.dataset(job.dataset).print),
                policy=int(job.policy),
                count=count,
                index=index,
                consumers=job.consumers,
                shared=job.key is not None,
            )
        except UnavailableError:
            self._ledger.lose(address)
            return
        self._ledger.give(job, address, int(answer["task"]))


class WorkerServer(_Server):
    """Makes elements for a dispatcher, of this process or another, and hands them to any process.

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
        host = config.worker_address.rpartition(":")[0]
        super().__init__(config.port, everywhere=host not in _ANY)
        self._tasks: dict[int, Task] = {}
        self._datasets: dict[tuple[str, str], Node] = {}  # of a dispatcher elsewhere
        self._numbers = itertools.count()
        self._patience = (
            _PATIENCE
            if config.dispatcher_timeout_ms is None
            else config.dispatcher_timeout_ms / 1000
        )
        if start:
            self.start()

    @property
    def _address(self) -> str:
        return self._config.worker_address.replace("%port%", str(self._bound))

    def _num_tasks(self) -> int:
        return len(self._tasks)

    def start(self) -> None:
        """Begin to work for the dispatcher."""
        super().start()
        try:
            self._dispatcher().ask(do="join", address=self._address)
        except OpError:
            self.stop()
            raise
        interval = self._config.heartbeat_interval_ms
        seconds = _HEARTBEAT if interval is None else interval / 1000
        threading.Thread(
            target=_beat, args=(weakref.ref(self), seconds), name="data worker", daemon=True
        ).start()

    def _dispatcher(self) -> Caller:
        return Caller(self._config.dispatcher_address)

    def _dataset(self, name: str, print: str) -> Node:
        """A dataset, by its name and its fingerprint: names begin anew with another dispatcher."""
        here = dispatcher_at(self._config.dispatcher_address)
        if here is not None:
            return here._ledger.dataset(name).steps()
        if (name, print) not in self._datasets:
            answer = self._dispatcher().ask(do="dataset", dataset=name)
            self._datasets[name, print] = from_bytes(answer["data"])
        return self._datasets[name, print]

    def _do_take(self, request: Message) -> Message:
        node = self._dataset(request["dataset"], request["print"])
        policy = ShardingPolicy(int(request["policy"]))
        if policy is ShardingPolicy.DYNAMIC:
            node = divided(node, self._splits(int(request["job"])))
        else:
            node = part_of(node, policy, int(request["count"]), int(request["index"]))
        number = next(self._numbers)
        shared = bool(request["shared"])
        self._tasks[number] = Task(Source(node), int(request["consumers"]), shared=shared)
        return {"task": number}

    def _splits(self, job: int) -> Any:
        """How a task asks for the next part of a source."""
        address, patience = self._config.dispatcher_address, self._patience
        callers = threading.local()

        def ask(source: int, repetition: int) -> int:
            here = dispatcher_at(address)
            if here is not None:
                return here._ledger.split(job, source, repetition)
            if not hasattr(callers, "mine"):
                callers.mine = PatientCaller(address, patience)
            answer = callers.mine.ask(do="split", job=job, source=source, round=repetition)
            return int(answer["split"])

        return ask

    def _task(self, request: Message) -> Task:
        task = self._tasks.get(int(request["task"]))
        if task is None:
            raise NotFoundError(None, None, "The worker has no such task.")
        return task

    def _do_release(self, request: Message) -> Message:
        if not self._task(request).shared:
            del self._tasks[int(request["task"])]
        return {}

    def _do_next(self, request: Message) -> Message:
        task = self._task(request)
        values = task.next(request["consumer"], int(request["round"]), request["trainer"])
        return {"over": True} if values is None else {"values": list(values)}


def _beat(held: weakref.ref[WorkerServer], seconds: float) -> None:
    """Tell the dispatcher again and again that a worker is there; it may have been restarted."""
    while True:
        time.sleep(seconds)
        worker = held()
        if worker is None or worker._listener is None:
            return
        with suppress(OpError, RuntimeError):  # it may be back the next time
            worker._dispatcher().ask(do="join", address=worker._address)
        del worker
