"""How a dataset is divided among workers, and the settings of the servers."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, NamedTuple


class ShardingPolicy(enum.IntEnum):
    """Which part of a dataset each worker makes.

    >>> tf.data.experimental.service.ShardingPolicy.DATA.name
    'DATA'
    """

    OFF = 0  # all of it
    DYNAMIC = 1  # what the others have not taken yet
    FILE = 2  # every so many files
    DATA = 3  # every so many elements
    FILE_OR_DATA = 4  # files if it reads any, else elements
    HINT = 5  # what `Dataset.shard` with SHARD_HINT leaves


_MODES = {
    "parallel_epochs": ShardingPolicy.OFF,
    "distributed_epoch": ShardingPolicy.DYNAMIC,
}


def policy_of(processing_mode: Any) -> ShardingPolicy:
    """The policy for an argument `processing_mode`."""
    if isinstance(processing_mode, ShardingPolicy):
        return processing_mode
    if processing_mode in _MODES:
        return _MODES[processing_mode]
    raise ValueError(
        "`processing_mode` must be a tf.data.experimental.service.ShardingPolicy, "
        f"'parallel_epochs' or 'distributed_epoch', got {processing_mode!r}."
    )


class CrossTrainerCache:
    """Lets trainers share elements: those of one `trainer_id` read each element at most once.

    >>> tf.data.experimental.service.CrossTrainerCache("first").trainer_id
    'first'
    """

    def __init__(self, trainer_id: str) -> None:
        if not trainer_id:
            raise ValueError("CrossTrainerCache: `trainer_id` must not be empty.")
        self.trainer_id = trainer_id


class _DispatcherConfig(NamedTuple):
    port: int
    protocol: str
    work_dir: str | None
    fault_tolerant_mode: bool
    worker_addresses: Sequence[str] | None
    job_gc_check_interval_ms: int
    job_gc_timeout_ms: int
    worker_timeout_ms: int | None
    worker_max_concurrent_snapshots: int


class DispatcherConfig(_DispatcherConfig):
    """Settings of a dispatcher; port 0 is any that is free.

    In `fault_tolerant_mode` it writes what it knows to a journal in `work_dir`, from which another
    dispatcher on the same port goes on. Workers find it by themselves, so that `worker_addresses`
    need not be given; jobs without a name are forgotten when their readers are done.

    >>> tf.data.experimental.service.DispatcherConfig().protocol
    'grpc'
    """

    __slots__ = ()

    def __new__(
        cls,
        port: int = 0,
        protocol: str | None = None,
        work_dir: str | None = None,
        fault_tolerant_mode: bool = False,
        worker_addresses: Sequence[str] | None = None,
        job_gc_check_interval_ms: int | None = None,
        job_gc_timeout_ms: int | None = None,
        worker_timeout_ms: int | None = None,
        worker_max_concurrent_snapshots: int = 0,
    ) -> DispatcherConfig:
        return super().__new__(
            cls,
            port,
            protocol or "grpc",
            work_dir,
            fault_tolerant_mode,
            worker_addresses,
            job_gc_check_interval_ms or 0,
            job_gc_timeout_ms or 0,
            worker_timeout_ms,
            worker_max_concurrent_snapshots,
        )


class _WorkerConfig(NamedTuple):
    dispatcher_address: str
    worker_address: str
    port: int
    protocol: str
    heartbeat_interval_ms: int | None
    dispatcher_timeout_ms: int | None
    data_transfer_protocol: str | None
    data_transfer_address: str | None


class WorkerConfig(_WorkerConfig):
    """Settings of a worker: the dispatcher to work for, and where to listen.

    >>> config = tf.data.experimental.service.WorkerConfig("localhost:5050")
    >>> config.worker_address
    'localhost:%port%'
    """

    __slots__ = ()

    def __new__(
        cls,
        dispatcher_address: str,
        worker_address: str | None = None,
        port: int = 0,
        protocol: str | None = None,
        heartbeat_interval_ms: int | None = None,
        dispatcher_timeout_ms: int | None = None,
        data_transfer_protocol: str | None = None,
        data_transfer_address: str | None = None,
    ) -> WorkerConfig:
        return super().__new__(
            cls,
            dispatcher_address,
            worker_address or "localhost:%port%",
            port,
            protocol or "grpc",
            heartbeat_interval_ms,
            dispatcher_timeout_ms,
            data_transfer_protocol,
            data_transfer_address,
        )
