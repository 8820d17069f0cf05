"""Datasets whose elements workers make: `distribute`, `register_dataset`, `from_dataset_id`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from runnel.core import structured_value
from runnel.core.convert import convert_to_tensor
from runnel.core.errors import OpError, UnavailableError
from runnel.core.protos import messages
from runnel.core.tensor import EagerTensor, Tensor
from runnel.data.dataset import Dataset
from runnel.data.node import INFINITE, Node, Run, Stage, Values
from runnel.data.parallel import Ahead
from runnel.data.service.policies import CrossTrainerCache, ShardingPolicy, policy_of
from runnel.data.service.servers import DispatchServer, dispatcher_at
from runnel.data.service.wire import Caller
from runnel.data.structure import Structure

_PATIENCE = 30.0  # seconds to wait for the first worker
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

    The dispatcher must run in this process; see `from_dataset_id` for reading from others.
    """
    request = _request(
        processing_mode,
        service,
        job_name,
        consumer_index,
        num_consumers,
        max_outstanding_requests,
        data_transfer_protocol,
        cross_trainer_cache,
        target_workers,
    )

    def apply(dataset: Dataset) -> Dataset:
        _check_endless(request, dataset._node)
        name = _registered(request.address, dataset, compression, None)
        return Dataset(_Distributed(request, name, dataset._node.structure))

    return apply


def register_dataset(
    service: Any, dataset: Dataset, compression: Any = "AUTO", dataset_id: str | None = None
) -> Tensor:
    """Make a dataset known to a dispatcher of this process; its id, for `from_dataset_id`."""
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
    request = _request(
        processing_mode,
        service,
        job_name,
        consumer_index,
        num_consumers,
        max_outstanding_requests,
        data_transfer_protocol,
        cross_trainer_cache,
        target_workers,
    )
    name = _text(dataset_id)
    if element_spec is None:
        element_spec = _described(request.address, name)
    return Dataset(_Distributed(request, name, Structure(element_spec)))


def distributed_save(
    dataset: Dataset, path: Any, data_service_address: Any, compression: Any = "AUTO"
) -> None:
    """Let the workers of a service make the elements, and write them into a folder.

    It returns when the folder is whole; `Dataset.load` reads it.
    """
    made = dataset.apply(distribute(ShardingPolicy.DYNAMIC, data_service_address))
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
    if protocol not in (None, "grpc"):
        raise NotImplementedError(f"`data_transfer_protocol` {protocol!r} is not supported.")
    if str(workers).upper() not in _WORKERS:
        raise ValueError(f"`target_workers` must be one of {_WORKERS}, got {workers!r}.")
    trainer = None if cache is None else cache.trainer_id
    policy, ahead = policy_of(processing_mode), int(requests or 2)
    return _Request(_address(service), policy, job_name, consumer, consumers, ahead, trainer)


def _check_endless(request: _Request, node: Node) -> None:
    """Rounds and caches have no end."""
    if request.num_consumers is None and request.trainer is None:
        return
    if node.cardinality() != INFINITE:
        raise ValueError(
            "With `num_consumers` or a cross-trainer cache the dataset must be infinite; use "
            "Dataset.repeat."
        )


def _registered(address: str, dataset: Dataset, compression: Any, name: str | None) -> str:
    """Register a dataset. Its elements stay on this machine, where compressing would only cost."""
    if compression not in ("AUTO", None):
        raise ValueError(f"`compression` must be 'AUTO' or None, got {compression!r}.")
    return _own(address)._add(dataset._node, name)


def _own(address: str) -> DispatchServer:
    found = dispatcher_at(address)
    if found is None:
        raise NotImplementedError(
            f"No dispatcher of this process listens at {address}. A dataset's functions are not "
            "sent over the network: register it in the process of its dispatcher, and read it from "
            "others with from_dataset_id."
        )
    return found


def _described(address: str, name: str) -> Any:
    """The element spec of a registered dataset."""
    proto = messages.StructuredValue()
    proto.ParseFromString(Caller(address).ask(do="describe", dataset=name)["spec"])
    return structured_value.decode(proto)


class _Distributed(Node):
    """The elements that workers make of a dataset."""

    kind = "DataServiceDataset"

    def __init__(self, request: _Request, name: str, structure: Structure) -> None:
        super().__init__((), structure)
        self.request, self.name = request, name
        self.repetitions = [0]  # shared by copies of the node

    def make(self, run: Run) -> Stage:
        repetition = self.repetitions[0]
        self.repetitions[0] += 1
        sources = [_Pull(address, task, self.request) for address, task in self._tasks(repetition)]
        if self.request.consumer_index is not None:
            return _Rounds(sources)
        if not run.threads:
            return _Merged(sources)
        share = max(1, self.request.ahead // len(sources))
        return _Merged([Ahead(source, share) for source in sources])

    def _tasks(self, repetition: int) -> list[Any]:
        request, patience = self.request, time.monotonic() + _PATIENCE
        caller = Caller(request.address)
        while True:
            answer = caller.ask(
                do="job",
                dataset=self.name,
                policy=int(request.policy),
                name=request.job_name,
                repetition=repetition,
                consumers=request.num_consumers or 1,
            )
            if answer["tasks"]:
                return answer["tasks"]  # type: ignore[no-any-return]
            if time.monotonic() > patience:
                message = f"The dispatcher at {request.address} has no workers."
                raise UnavailableError(None, None, message)
            time.sleep(0.05)


class _Pull(Stage):
    """The elements of one worker."""

    ready = True  # for all one can know

    def __init__(self, address: str, task: int, request: _Request) -> None:
        self._caller = Caller(address)
        self._task, self._request = task, request
        self._round = 0

    def __next__(self) -> Values:
        answer = self._caller.ask(
            do="next",
            task=self._task,
            consumer=self._request.consumer_index,
            round=self._round,
            trainer=self._request.trainer,
        )
        self._round += 1
        if "over" in answer:
            raise StopIteration
        return answer["values"]  # type: ignore[no-any-return]

    def __del__(self) -> None:
        if hasattr(self, "_task"):
            with suppress(OpError):  # the worker may have gone before
                self._caller.ask(do="release", task=self._task)


class _Merged(Stage):
    """Elements of several workers as they come."""

    apart = "inputs"

    def __init__(self, sources: list[Any]) -> None:
        self._sources = sources
        for source in sources:
            if isinstance(source, Ahead):
                source.begin()

    def __next__(self) -> Values:
        while self._sources:
            place = next((i for i, s in enumerate(self._sources) if s.ready), 0)
            source = self._sources.pop(place)
            try:
                values: Values = next(source)
            except StopIteration:
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
