"""Datasets whose elements workers make: `distribute`, `register_dataset`, `from_dataset_id`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from runnel.core.composite import structured_value
from runnel.core.protos import messages
from runnel.core.settings.logging import warning
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.errors import InvalidArgumentError, NotFoundError, OpError, UnavailableError
from runnel.data.dataset.base import checked
from runnel.data.dataset.dataset import Dataset
from runnel.data.graph.fingerprints import fingerprint
from runnel.data.graph.portable import to_bytes
from runnel.data.nodes.node import INFINITE, UNKNOWN, Node, Run, Stage, Values
from runnel.data.run.parallel import Ahead
from runnel.data.run.structure import Structure
from runnel.data.service.policies import CrossTrainerCache, ShardingPolicy, policy_of
from runnel.data.service.servers import dispatcher_at
from runnel.data.service.wire import Caller

_PATIENCE = 30.0  # seconds to wait for the first worker
_LOOK = 1.0  # seconds until the dispatcher is asked for new workers
_PROTOCOLS = (None, "grpc", "local")
_WORKERS = ("AUTO", "ANY", "LOCAL")


@dataclass(frozen=True)
class _Request:
    """How a dataset is read from the service."""

    address: str
    policy: ShardingPolicy
    job_name: str | None
    consumer_index: int | None
    num_consumers: int | None
    ahead: int
    trainer: str | None
    protocol: str | None


def distribute(
    processing_mode: Any,
    service: Any,
    job_name: str | None = None,
    consumer_index: int | None = None,
    num_consumers: int | None = None,
    max_outstanding_requests: int | None = None,
    data_transfer_protocol: str | None = None,
    compression: Any = "AUTO",
    cross_trainer_cache: CrossTrainerCache | None = None,
    target_workers: str = "AUTO",
) -> Callable[[Dataset], Dataset]:
    """A transformation for `Dataset.apply`: the workers of a service make the elements.

    The dispatcher and its workers may be in other processes: the dataset is sent to them as data
    and graphs. One that calls Python (`tf.py_function`, `from_generator`) stays in this process.
    """
    given = num_consumers, max_outstanding_requests, data_transfer_protocol, cross_trainer_cache
    request = _request(processing_mode, service, job_name, consumer_index, *given, target_workers)

    def apply(dataset: Dataset) -> Dataset:
        _check_endless(request, dataset._node)
        name = _registered(request.address, dataset, compression, None)
        endless = dataset._node.cardinality() == INFINITE
        return Dataset(_Distributed(request, name, dataset._node.structure, endless))

    return apply


def register_dataset(
    service: Any, dataset: Dataset, compression: Any = "AUTO", dataset_id: str | None = None
) -> Tensor:
    """Make a dataset known to a dispatcher; its id, for `from_dataset_id`."""
    name = _registered(_address(service), dataset, compression, dataset_id)
    return convert_to_tensor(name)


def from_dataset_id(
    processing_mode: Any,
    service: Any,
    dataset_id: Any,
    element_spec: Any = None,
    job_name: str | None = None,
    consumer_index: int | None = None,
    num_consumers: int | None = None,
    max_outstanding_requests: int | None = None,
    data_transfer_protocol: str | None = None,
    cross_trainer_cache: CrossTrainerCache | None = None,
    target_workers: str = "AUTO",
) -> Dataset:
    """The dataset with an id, made by the workers of a service, of any process."""
    given = num_consumers, max_outstanding_requests, data_transfer_protocol, cross_trainer_cache
    request = _request(processing_mode, service, job_name, consumer_index, *given, target_workers)
    name = _text(dataset_id)
    if element_spec is None:
        element_spec = _described(request.address, name)
    return Dataset(_Distributed(request, name, Structure(element_spec), endless=False))


def distributed_save(
    dataset: Dataset, path: Any, data_service_address: Any, compression: Any = "AUTO"
) -> None:
    """Let the workers of a service make the elements, and write them into a folder.

    The address may be that of the dispatcher alone, without a protocol. It returns when the folder
    is whole; `Dataset.load` reads it.
    """
    address = _text(data_service_address)
    service = address if "://" in address else ("grpc", address)
    made = checked(dataset, "distributed_save").apply(distribute(ShardingPolicy.DYNAMIC, service))
    made.save(os.fspath(path), compression=None if compression == "AUTO" else compression)


def _text(value: Any) -> str:
    found = value.numpy() if isinstance(value, EagerTensor) else value
    return found.decode() if isinstance(found, bytes) else str(found)


def _address(service: Any) -> str:
    """Host and port of a dispatcher, from its target or a pair of protocol and address."""
    if isinstance(service, tuple) and len(service) == 2:
        return str(service[1])
    if isinstance(service, str):
        protocol, mark, address = service.partition("://")
        if mark and protocol and address:
            return address
    raise ValueError(
        "`service` must be a text like 'grpc://localhost:5000', or a pair of protocol and address, "
        f"got {service!r}."
    )


def _request(
    processing_mode: Any,
    service: Any,
    job_name: Any,
    consumer: Any,
    consumers: Any,
    requests: Any,
    protocol: Any,
    cache: CrossTrainerCache | None,
    workers: str,
) -> _Request:
    if job_name is not None and (not isinstance(job_name, str) or not job_name):
        raise ValueError(f"`job_name` must be a text that is not empty, got {job_name!r}.")
    if (consumer is None) != (consumers is None):
        raise ValueError("`consumer_index` and `num_consumers` go together.")
    if consumers is not None and job_name is None:
        raise ValueError("`job_name` must be given with `num_consumers`.")
    if consumers is not None and not 0 <= consumer < consumers:
        raise ValueError(f"`consumer_index` must be less than {consumers}, got {consumer}.")
    if requests is not None and int(requests) < 1 and int(requests) != -1:
        message = f"`max_outstanding_requests` must be positive or -1, got {requests}."
        raise InvalidArgumentError(None, None, message)
    if str(workers).upper() not in _WORKERS:
        raise ValueError(f"`target_workers` must be one of {_WORKERS}, got {workers!r}.")
    trainer = None if cache is None else cache.trainer_id
    policy, ahead = policy_of(processing_mode), max(2, int(requests or 2))
    return _Request(
        _address(service), policy, job_name, consumer, consumers, ahead, trainer, protocol
    )


def _check_endless(request: _Request, node: Node) -> None:
    """Rounds have no end."""
    if request.num_consumers is not None and node.cardinality() != INFINITE:
        raise ValueError("With `num_consumers` the dataset must be infinite; use Dataset.repeat.")


def _registered(address: str, dataset: Dataset, compression: Any, name: str | None) -> str:
    """Register a dataset, with a dispatcher here or elsewhere; its name.

    Elements are not compressed: that costs more than it saves where they are not sent far.
    """
    if compression not in ("AUTO", None, "SNAPPY"):
        raise ValueError(f"`compression` must be 'AUTO', 'SNAPPY' or None, got {compression!r}.")
    node, here = dataset._node, dispatcher_at(address)
    if here is not None:
        return here._add(node, name)
    answer = Caller(address).ask(
        do="register", data=to_bytes(node), print=str(fingerprint(node)), name=name
    )
    return str(answer["name"])


def _described(address: str, name: str) -> Any:
    """The element spec of a registered dataset."""
    proto = messages.StructuredValue()
    try:
        proto.ParseFromString(Caller(address).ask(do="describe", dataset=name)["spec"])
    except NotFoundError as error:
        raise ValueError(
            f"from_dataset_id: `dataset_id` {name!r} is not registered, so that its element spec "
            f"is not known: {error.message}"
        ) from error
    return structured_value.decode(proto)


class _Distributed(Node):
    """The elements that workers make of a dataset."""

    kind = "DataServiceDatasetV2"
    portable = False  # a job has one place

    def __init__(self, request: _Request, name: str, structure: Structure, endless: bool) -> None:
        super().__init__((), structure)
        self.request, self.name, self.endless = request, name, endless
        self.repetitions = [0]  # shared by copies of the node

    def make(self, run: Run) -> Stage:
        self._check()
        repetition = self.repetitions[0]
        self.repetitions[0] += 1
        claim = _Claim(self.request, self.name, repetition)
        tasks = claim.wait()
        if self.request.consumer_index is not None:
            return _Rounds([_Pull(claim, *task) for task in tasks])
        return _Merged(claim, tasks, threads=run.threads)

    def cardinality(self) -> int:
        return INFINITE if self.endless else UNKNOWN

    def _check(self) -> None:
        request = self.request
        if request.protocol not in _PROTOCOLS:
            message = f"The protocol {request.protocol!r} is not available."
            raise NotFoundError(None, None, message)
        if request.trainer is not None and request.job_name is None:
            message = "Cross-trainer caching requires named jobs; give a `job_name`."
            raise InvalidArgumentError(None, None, message)


class _Claim:
    """A job that is being read; when it is dropped, the dispatcher may forget the job."""

    def __init__(self, request: _Request, name: str, repetition: int) -> None:
        self.request = request
        self._caller = Caller(request.address)
        answer = self._caller.ask(
            do="job",
            dataset=name,
            policy=int(request.policy),
            name=request.job_name,
            repetition=repetition,
            consumers=request.num_consumers or 1,
        )
        self._number, self._tasks = int(answer["job"]), answer["tasks"]

    def wait(self) -> list[Any]:
        """The tasks, when there are some."""
        end = time.monotonic() + _PATIENCE
        while not self._tasks:
            if time.monotonic() > end:
                message = f"The dispatcher at {self.request.address} has no workers."
                raise UnavailableError(None, None, message)
            time.sleep(0.05)
            self._tasks = self.tasks()
        return list(self._tasks)

    def tasks(self) -> list[Any]:
        """The tasks now, of workers old and new."""
        return self._caller.ask(do="tasks", job=self._number)["tasks"]  # type: ignore[no-any-return]

    def __del__(self) -> None:
        if hasattr(self, "_number"):
            with suppress(OpError):  # the dispatcher may have gone before
                self._caller.ask(do="end", job=self._number)


class _Pull(Stage):
    """The elements of one worker."""

    ready = True  # for all one can know

    def __init__(self, claim: _Claim, address: str, task: int) -> None:
        self._claim = claim
        self._address, self._task = address, task
        self._caller: Caller | None = None
        self._round = 0

    def __next__(self) -> Values:
        request = self._claim.request
        self._caller = self._caller or Caller(self._address)
        answer = self._caller.ask(
            do="next",
            task=self._task,
            consumer=request.consumer_index,
            round=self._round,
            trainer=request.trainer,
        )
        self._round += 1
        if "over" in answer:
            raise StopIteration
        return answer["values"]  # type: ignore[no-any-return]

    def __del__(self) -> None:
        if getattr(self, "_caller", None) is not None:
            with suppress(OpError):  # the worker may have gone before
                self._caller.ask(do="release", task=self._task)  # type: ignore[union-attr]


class _Merged(Stage):
    """Elements of several workers as they come.

    Where each worker may come and go, those that start later join in, and one that is lost is left
    out, as long as another remains.
    """

    apart = "inputs"

    def __init__(self, claim: _Claim, tasks: list[Any], *, threads: bool) -> None:
        self._claim = claim
        self._share = max(1, claim.request.ahead // len(tasks)) if threads else 0
        self._known: set[tuple[str, int]] = set()
        self._sources: list[Any] = []
        self._looked = time.monotonic()
        self._add(tasks)

    @property
    def _flexible(self) -> bool:
        return self._claim.request.policy in (ShardingPolicy.OFF, ShardingPolicy.DYNAMIC)

    def _add(self, tasks: list[Any]) -> None:
        for address, task in tasks:
            if (address, task) in self._known:
                continue
            self._known.add((address, task))
            source: Any = _Pull(self._claim, address, task)
            if self._share:
                source = Ahead(source, self._share)
                source.begin()
            self._sources.append(source)

    def _look(self) -> None:
        """Ask now and then for workers that have started since."""
        if self._flexible and time.monotonic() - self._looked > _LOOK:
            self._looked = time.monotonic()
            with suppress(UnavailableError):  # a dispatcher may be restarted meanwhile
                self._add(self._claim.tasks())

    def __next__(self) -> Values:
        while self._sources:
            self._look()
            place = next((i for i, s in enumerate(self._sources) if s.ready), 0)
            source = self._sources.pop(place)
            try:
                values: Values = next(source)
            except StopIteration:
                continue
            except UnavailableError as error:
                if not self._flexible or not self._sources:
                    raise
                warning(f"The data service goes on without a worker: {error.message}")
                continue
            self._sources.append(source)
            return values
        raise StopIteration


class _Rounds(Stage):
    """An element of each worker in turn, so that all consumers are at the same worker."""

    def __init__(self, sources: list[Any]) -> None:
        self._sources = sources
        self._turn = 0

    def __next__(self) -> Values:
        source = self._sources[self._turn % len(self._sources)]
        self._turn += 1
        return next(source)  # type: ignore[no-any-return]
