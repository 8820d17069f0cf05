"""`MultiWorkerMirroredStrategy`: replicas in several processes, with the same variables.

Each process runs its own replicas, as a `MirroredStrategy` does, on its own part of the data. Where
those would be joined, so are the values of all processes, by an op (`ops.py`) that waits for them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any

from runnel.core.settings.device import list_logical_devices
from runnel.core.state.variable import Variable, VariableAggregation, first_value
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import DType
from runnel.distribute.cluster import sharding
from runnel.distribute.cluster.communication import (
    CommunicationImplementation,
    CommunicationOptions,
)
from runnel.distribute.cluster.meeting import meet
from runnel.distribute.cluster.ops import process_gather, process_join, process_reduce
from runnel.distribute.cluster.tasks import Tasks, tasks_of
from runnel.distribute.cluster_resolver.environment import TFConfigClusterResolver
from runnel.distribute.cluster_resolver.resolver import ClusterResolver
from runnel.distribute.contexts import get_strategy, has_strategy, mixed, require_cross_replica
from runnel.distribute.datasets import DistributedDataset, grouped
from runnel.distribute.inputs import InputContext, InputOptions
from runnel.distribute.mirrored import MirroredExtended, is_everywhere
from runnel.distribute.reductions import (
    ReduceOp,
    as_value,
    divided,
    not_reducible,
    reduce_op,
    reduced,
    values_of,
)
from runnel.distribute.strategy import Strategy, ValueContext
from runnel.distribute.values import DistributedValues, Mirrored, regroup
from runnel.distribute.variables import the_same
from runnel.kernels.random.seeds import global_seed

_kind = reduce_op


class MultiWorkerExtended(MirroredExtended):
    """Replicas of several processes, of which this is one."""

    def _in_multi_worker_mode(self) -> bool:
        return True

    def __init__(
        self, container_strategy: Strategy, resolver: ClusterResolver, options: CommunicationOptions
    ) -> None:
        super().__init__(container_strategy, _local_devices(resolver))
        self.options = options
        options.check(self._devices)
        spec = resolver.cluster_spec()
        self.tasks: Tasks | None = None
        if spec.as_dict():
            self.tasks = tasks_of(spec, resolver.task_type, resolver.task_id)
            self._processes = len(self.tasks.names)
            if self._processes > 1:
                meet(self.tasks)
            self._process = self.tasks.process
            self._first = self._process * self._count
            self._job = f"/job:{resolver.task_type}/replica:0/task:{resolver.task_id}/device:"
        self.should_checkpoint = self.should_save_summary = self.is_chief

    _process = 0
    _job = "/job:localhost/replica:0/task:0/device:"

    @property
    def is_chief(self) -> bool:
        """Whether this is the process that writes what is written once."""
        return self.tasks is None or self.tasks.is_chief

    @property
    def worker_devices(self) -> tuple[str, ...]:
        return tuple(self._job + name.rpartition("device:")[2] for name in self._devices)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        return self.worker_devices

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        if self._processes == 1:
            return super().reduce_to(reduce_op, value, destinations, options)
        require_cross_replica("reduce_to", self._strategy)
        kind, leaves = _kind(reduce_op), nest.flatten(value)
        done = [isinstance(leaf, Mirrored) and kind is ReduceOp.MEAN for leaf in leaves]
        sums = [_own_sum(leaf) for leaf, kept in zip(leaves, done, strict=True) if not kept]
        totals = iter(self._sums(sums, self.options.merged(options)))
        everywhere = is_everywhere(destinations)
        found = []
        for leaf, kept in zip(leaves, done, strict=True):
            total = leaf if kept else next(totals)
            if kind is ReduceOp.MEAN and not kept:
                total = divided(total, self._total)
            found.append(self._mirrored(total) if everywhere and not kept else total)
        return nest.pack_sequence_as(value, found)

    def _sums(self, values: Sequence[Any], options: CommunicationOptions) -> list[Any]:
        """Sums over all processes; the tensors are sent in packs."""
        tensors = [v for v in values if not isinstance(v, IndexedSlices)]
        sums = iter(_reduced(tensors, "sum", options) if tensors else ())
        return [
            _gathered_slices(v, options) if isinstance(v, IndexedSlices) else next(sums)
            for v in values
        ]

    def _read_across(self, handle: Any, dtype: DType, kind: str) -> Tensor:
        own = super()._read_across(handle, dtype, kind)
        return own if self._processes == 1 else process_join.apply([own], {"kind": kind})  # type: ignore[no-any-return]

    def _assigned(self, variable: Any, value: Any) -> Any:
        """What the replicas of all processes assign to a mirrored variable, as one value."""
        kind = variable.aggregation
        if kind is VariableAggregation.NONE:
            return the_same(variable, value)
        if not isinstance(value, DistributedValues | Tensor | IndexedSlices | Variable):
            if kind is VariableAggregation.SUM:
                raise not_reducible(ReduceOp.SUM, value)
            return value
        if kind is VariableAggregation.ONLY_FIRST_REPLICA:
            parts = values_of(value)
            first = convert_to_tensor(parts[0] if parts else value)
            return _reduced([first], "first", self.options)[0]
        reduction = ReduceOp.from_variable_aggregation(kind)
        found = self.reduce_to(reduction, value, variable)
        return found.values[0] if isinstance(found, DistributedValues) else found

    def _same_everywhere(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        given = kwargs.get("initial_value")
        if self._processes == 1 or given is None:
            return kwargs
        dtype, shape = kwargs.get("dtype"), kwargs.get("shape")

        def chosen() -> Any:
            value, _ = first_value(given, dtype, shape)
            return _reduced([value], "first", self.options)[0]

        return {**kwargs, "initial_value": chosen}

    def _gather(self, value: Any, axis: int, options: Any = None) -> Any:
        own, chosen = super()._gather(value, axis), self.options.merged(options)
        if self._processes == 1:
            return own
        return nest.map_structure(lambda v: _gathered(convert_to_tensor(v), axis, chosen), own)

    def _distribute_dataset(self, dataset: Any, options: InputOptions | None) -> Any:
        if self._processes == 1:
            return super()._distribute_dataset(dataset, options)
        DistributedDataset(dataset, self._total)  # which refuses what cannot be divided
        own = sharding.part_of_process(dataset, self._processes, self._process, self._count)
        return DistributedDataset(own, self._count)

    def _datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: InputOptions | None
    ) -> Any:
        if self._processes == 1:
            return super()._datasets_from_function(dataset_fn, options)
        dataset = dataset_fn(InputContext(self._processes, self._process, self._total))
        own = sharding.agreed(grouped(dataset, self._count))
        return DistributedDataset(own, self._count, divided=True)

    def _values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        numbers = range(self._first, self._first + self._count)
        made = [value_fn(ValueContext(number, self._total)) for number in numbers]
        return regroup(made, always=True)

    def _own_part(self, batch: Any) -> Any:
        return sharding.own_part(batch, self._processes, self._process, self._count)


def _local_devices(resolver: ClusterResolver) -> list[str]:
    """The accelerators of this process, or its CPU as a whole."""
    if isinstance(resolver, TFConfigClusterResolver):
        counts = {kind: len(list_logical_devices(kind)) for kind in ("GPU", "TPU")}
    else:
        counts = dict(resolver.num_accelerators())
    for kind in ("GPU", "TPU"):
        if counts.get(kind):
            return [f"{kind}:{number}" for number in range(counts[kind])]
    return ["CPU:0"]


def _own_sum(leaf: Any) -> Any:
    """The sum over the replicas of this process."""
    parts = values_of(leaf)
    return as_value(leaf) if parts is None else reduced(ReduceOp.SUM, parts)


def _reduced(tensors: Sequence[Tensor], kind: str, options: CommunicationOptions) -> list[Any]:
    tensors = [convert_to_tensor(tensor) for tensor in tensors]
    attrs = {
        "T": tuple(tensor.dtype for tensor in tensors),
        "kind": kind,
        "bytes_per_pack": options.bytes_per_pack,
        "timeout_seconds": options.timeout_seconds or 0.0,
    }
    found = process_reduce.apply(tensors, attrs)
    return list(found) if isinstance(found, list | tuple) else [found]


def _gathered(value: Tensor, axis: int, options: CommunicationOptions) -> Any:
    attrs = {"axis": axis, "timeout_seconds": options.timeout_seconds or 0.0}
    found = process_gather.apply([value], attrs)
    return found[0] if isinstance(found, list | tuple) else found


def _gathered_slices(slices: IndexedSlices, options: CommunicationOptions) -> IndexedSlices:
    rows, indices = [_gathered(v, 0, options) for v in (slices.values, slices.indices)]
    return IndexedSlices(rows, indices, slices.dense_shape)


class MultiWorkerMirroredStrategy(Strategy):
    """Replicas in several processes, perhaps on several hosts, which train together.

    Every process runs the same program, and makes the strategy at its start: there it waits for the
    others. Which they are is said by the environment variable `TF_CONFIG`, or by another
    `cluster_resolver`; without either, it is a `MirroredStrategy` of this process.

    >>> strategy = tf.distribute.MultiWorkerMirroredStrategy()
    >>> strategy.num_replicas_in_sync
    1
    """

    def __init__(
        self,
        cluster_resolver: ClusterResolver | None = None,
        communication_options: CommunicationOptions | None = None,
    ) -> None:
        options = CommunicationOptions() if communication_options is None else communication_options
        if not isinstance(options, CommunicationOptions):
            raise ValueError(
                "MultiWorkerMirroredStrategy: `communication_options` must be a "
                f"tf.distribute.experimental.CommunicationOptions, got {options!r}"
            )
        resolver = cluster_resolver or TFConfigClusterResolver()
        if not isinstance(resolver, ClusterResolver):
            raise ValueError(
                "MultiWorkerMirroredStrategy: `cluster_resolver` must be a "
                f"tf.distribute.cluster_resolver.ClusterResolver, got {resolver!r}"
            )
        self._resolver = resolver
        super().__init__(MultiWorkerExtended(self, resolver, options))

    @property
    def cluster_resolver(self) -> Any:
        """Who knows the other processes."""
        return self._resolver


class OldMultiWorkerMirroredStrategy(MultiWorkerMirroredStrategy):
    """The same, by its name in `tf.distribute.experimental`."""

    def __init__(
        self,
        communication: CommunicationImplementation = CommunicationImplementation.AUTO,
        cluster_resolver: ClusterResolver | None = None,
    ) -> None:
        super().__init__(cluster_resolver, CommunicationOptions(implementation=communication))


def has_processes(strategy: Strategy) -> bool:
    """Whether the replicas of a strategy are in several processes."""
    return strategy.extended._processes > 1


def own_dataset(dataset: Any) -> Any:
    """The part of a dataset for this process, if the strategy in force has several."""
    strategy = get_strategy()
    known = isinstance(dataset, DistributedDataset)
    if known and has_strategy() and dataset._replicas != strategy.extended._count:
        raise mixed(strategy, f"a dataset divided among {dataset._replicas} replicas")
    if known or not has_processes(strategy):
        return dataset
    return strategy.experimental_distribute_dataset(dataset)


def same_seeds() -> tuple[int, int] | None:
    """Seeds that all processes of the strategy in force have; None if there is one process."""
    if not has_processes(get_strategy()) or global_seed.value is not None:
        return None
    return sharding.same_seeds((secrets.randbits(63), secrets.randbits(63)))
