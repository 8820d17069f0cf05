"""What input pipelines are told: their share of the work, and how it is to be fetched."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple


class InputReplicationMode(enum.Enum):
    """Which of the parts of a program have an input pipeline of their own."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputContext:
    """Which part of the data a pipeline is for.

    >>> context = tf.distribute.InputContext(num_replicas_in_sync=4)
    >>> context.get_per_replica_batch_size(8)
    2
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self._pipelines = num_input_pipelines
        self._id = input_pipeline_id
        self._replicas = num_replicas_in_sync

    @property
    def num_input_pipelines(self) -> int:
        """How many pipelines there are."""
        return self._pipelines

    @property
    def input_pipeline_id(self) -> int:
        """Which of them this one is."""
        return self._id

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas take a step together."""
        return self._replicas

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """A replica's share of a batch, which must be a whole number."""
        if global_batch_size % self._replicas:
            raise ValueError(
                f"get_per_replica_batch_size: a batch of {global_batch_size} cannot be divided "
                f"among {self._replicas} replicas"
            )
        return global_batch_size // self._replicas

    def __str__(self) -> str:
        return f"tf.distribute.InputContext(input pipeline id {self._id}, total: {self._pipelines})"


class InputOptions(NamedTuple):
    """How elements of a distributed dataset reach the devices."""

    experimental_fetch_to_device: bool | None = None
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


class RunOptions(NamedTuple):
    """How `Strategy.run` compiles its function."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


def check_run_options(options: RunOptions | None) -> None:
    """Refuse what is not there: shapes in buckets, options of XLA."""
    if not isinstance(options, RunOptions | None):
        raise TypeError(f"`options` must be a tf.distribute.RunOptions, got {options!r}")
    for name in ("experimental_bucketizing_dynamic_shape", "experimental_xla_options"):
        if options is not None and getattr(options, name):
            raise NotImplementedError(f"RunOptions: {name}={getattr(options, name)!r}")


def check_options(options: InputOptions | None) -> None:
    """Refuse what is not there: pipelines of each replica, datasets on a device."""
    if options is None:
        return
    if not isinstance(options, InputOptions):
        raise TypeError(f"`options` must be a tf.distribute.InputOptions, got {options!r}")
    if options.experimental_replication_mode is not InputReplicationMode.PER_WORKER:
        raise NotImplementedError("InputOptions: experimental_replication_mode=PER_REPLICA")
    if options.experimental_place_dataset_on_device:
        raise NotImplementedError("InputOptions: experimental_place_dataset_on_device=True")
