"""`MirroredStrategy` and its family: several replicas in one process."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

import runnel.ops.reduce.reductions as reductions
from runnel.core.gradients.custom import custom_gradient
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.device import list_logical_devices
from runnel.core.settings.device_spec import DeviceSpec
from runnel.core.settings.logging import logger
from runnel.core.settings.scopes import variable_creator_scope
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import InvalidArgumentError
from runnel.distribute import fused
from runnel.function.function import Function, function
from .contexts import replica_of, require_cross_replica
from .cross_device_ops import CrossDeviceOps, ReductionToOneDevice
from .datasets import DistributedDataset, divide, grouped
from .explaining import note_stepped
from .inputs import InputContext, InputOptions
from .reductions import (
    ReduceOp,
    as_value,
    check_axis,
    check_gathered,
    gathered,
    not_reducible,
    read_rows,
    reduce_op,
    values_of,
)
from .replicas import Replicas
from .strategy import ReplicaContext, Strategy, StrategyExtended, ValueContext
from .values import DistributedValues, Mirrored, Stacked, regroup, select
from .variables import check_own, created, the_same, updating

_HERE = DeviceSpec.from_string("/job:localhost/replica:0/task:0")


class MirroredReplica(ReplicaContext):
    """One of several replicas, which meets the others in `merge_call`."""

    def __init__(
        self, strategy: Strategy, replica_id: Any, number: int, replicas: Replicas
    ) -> None:
        super().__init__(strategy, replica_id)
        self.number = number
        self._replicas = replicas

    @property
    def devices(self) -> Any:
        return [self._strategy.extended._replica_devices[self.number]]

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        return self._replicas.merge(self.number, merge_fn, args, kwargs)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        kind = _kind(reduce_op)
        values = [as_value(leaf) for leaf in nest.flatten(value)]
        return nest.pack_sequence_as(value, self._all_reduced(kind, values, options))

    def _all_reduced(self, kind: ReduceOp, values: list[Any], options: Any = None) -> list[Any]:
        """Sums or means of values over all replicas; slices have no gradient."""

        def reduce(strategy: Strategy, *values: Any) -> Any:
            everywhere = strategy.extended.worker_devices
            return strategy.extended.reduce_to(kind, list(values), everywhere, options)

        def merged(*tensors: Any) -> list[Any]:
            return self.merge_call(reduce, args=tensors)  # type: ignore[no-any-return]

        if any(isinstance(value, IndexedSlices) for value in values):
            return merged(*values)

        @custom_gradient
        def reduced(*tensors: Any) -> Any:
            return merged(*tensors), lambda *dy: self._all_reduced(kind, list(dy), options)

        return list(reduced(*values))

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        check_gathered(nest.flatten(value), axis)
        return nest.map_structure(
            lambda v: self._gathered(convert_to_tensor(v), axis, options), value
        )

    def _gathered(self, value: Tensor, axis: int, options: Any = None) -> Any:
        def gather(strategy: Strategy, values: Any) -> Any:
            extended: Any = strategy.extended
            return extended._mirrored(extended._gather(values, axis, options))

        @custom_gradient
        def gathered(tensor: Any) -> Any:
            whole = self.merge_call(gather, args=(tensor,))
            rows = raw_ops.Shape(tensor)[axis]
            return whole, lambda dy: self._own_part(dy, rows, axis, options)

        return gathered(value)

    def _own_part(self, dy: Tensor, rows: Tensor, axis: int, options: Any) -> Any:
        """The gradient of what this replica gave to `all_gather`."""
        total = self._all_reduced(ReduceOp.SUM, [dy], options)[0]
        sizes = self._gathered(raw_ops.Reshape(rows, [1]), 0, options)
        begin = reductions.reduce_sum(sizes[: self._id])
        places = raw_ops.Range(begin, begin + rows, 1)
        return raw_ops.GatherV2(total, places, axis)

    def _once(self, fn: Callable[..., Any], args: Sequence[Any]) -> Any:
        """Call a function for all replicas with arguments that are the same on all."""

        def merged(strategy: Strategy, *values: Any) -> Any:
            with updating(strategy):
                return fn(*select(0, values))

        return self.merge_call(merged, args=tuple(args))

    def _merge_write(
        self, variable: Any, write: Callable[..., Any], value: Any, rest: Any, kwargs: Any
    ) -> Any:
        """Write what replicas assign to a mirrored variable, once."""
        if any(isinstance(leaf, Tensor) for leaf in nest.flatten(value)):
            value = as_value(value)

        def merged(strategy: Strategy, values: Any) -> Any:
            with updating(strategy):
                return write(variable.aggregated(values), *rest, **kwargs)

        return self.merge_call(merged, args=(value,))


_kind = reduce_op


class MirroredExtended(StrategyExtended):
    """Several replicas, each on a device of this process."""

    stepped_because: str | None = None  # why functions were last traced for each replica

    def __init__(
        self,
        container_strategy: Strategy,
        devices: Sequence[str] | None = None,
        cross_device_ops: CrossDeviceOps | None = None,
    ) -> None:
        super().__init__(container_strategy)
        if cross_device_ops is not None and not isinstance(cross_device_ops, CrossDeviceOps):
            raise ValueError(
                f"{type(container_strategy).__name__}: `cross_device_ops` must be a "
                f"tf.distribute.CrossDeviceOps, got {cross_device_ops!r}"
            )
        self._devices = resolved(devices, type(container_strategy).__name__)
        self._cross_device_ops = cross_device_ops or ReductionToOneDevice()
        self._functions: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    @property
    def _count(self) -> int:  # type: ignore[override]
        return len(self._devices)

    @property
    def _replica_devices(self) -> tuple[str, ...]:
        return self._devices

    @property
    def worker_devices(self) -> tuple[str, ...]:
        return self._devices

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        return self._devices

    @contextmanager
    def _scope(self) -> Iterator[None]:
        with variable_creator_scope(self._created):
            yield

    def _created(self, next_creator: Callable[..., Variable], **kwargs: Any) -> Variable:
        return created(self._strategy, next_creator, **kwargs)  # type: ignore[no-any-return]

    def _replica(self, replica_id: Any, number: int, replicas: Replicas) -> MirroredReplica:
        return MirroredReplica(self._strategy, replica_id, number, replicas)

    def _run(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        for leaf in nest.flatten((args, kwargs)):
            if isinstance(leaf, DistributedValues) and leaf.count < self._count:
                raise IndexError(
                    f"Strategy.run: there are {self._count} replicas, but values for {leaf.count} "
                    f"only: {leaf!r}"
                )
        if state.graph is None and isinstance(fn, Function):
            return self._in_function(fn)(args, kwargs)
        if state.graph is not None:
            why = fused.why_not(self._strategy, args, kwargs)
            if why is None:
                try:
                    return fused.run(self._strategy, fn, args, kwargs)
                except fused.NotFused as error:
                    why = str(error)
            self.stepped_because = why
            note_stepped(state.graph, why, self, (args, kwargs))
        return Replicas(self._strategy, fn, args, kwargs).run()

    def _in_function(self, fn: Any) -> Any:
        """A function that runs the Python function of `fn` as each replica.

        Within one trace replicas can meet, which they cannot in functions of their own.
        """
        found = self._functions.get(fn)
        if found is None:
            known: Any = weakref.ref(fn)

            def run(args: Any, kwargs: Any) -> Any:
                return self._strategy.run(known().python_function, args, kwargs)

            found = self._functions[fn] = function(run)
        return found

    def variable_created_in_scope(self, v: Variable) -> bool:
        return getattr(v, "_distribute_strategy", None) is self._strategy

    def value_container(self, value: Any) -> Any:
        container = getattr(value, "_distributed_container", lambda: None)()
        return value if container is None else container

    def read_var(self, v: Any) -> Tensor:
        return v._across() if hasattr(v, "_across") else v.read_value()

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        check_own(self._strategy, colocate_with_variable, "colocate_vars_with")
        return super().colocate_vars_with(colocate_with_variable)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        require_cross_replica("reduce_to", self._strategy)
        kind = _kind(reduce_op)

        def reduce(leaf: Any) -> Any:
            if isinstance(leaf, Mirrored) and kind is ReduceOp.MEAN:
                return leaf
            if isinstance(leaf, fused.OfAll):
                return leaf._replica.reduced(kind, leaf.own)
            if isinstance(leaf, Stacked) and not isinstance(leaf.whole, EagerTensor):
                reduce_rows = raw_ops.Sum if kind is ReduceOp.SUM else _mean
                return reduce_rows(leaf.whole, 0)
            if values_of(leaf) is None:
                if kind is ReduceOp.SUM and self._count > 1:
                    raise not_reducible(kind, leaf)
                return leaf
            found = self._cross_device_ops.reduce(kind, leaf, destinations)
            return self._mirrored(found) if is_everywhere(destinations) else found

        return nest.map_structure(reduce, value)

    def _mirrored(self, value: Any) -> Any:
        """A value for each replica, which are the same but not one object."""
        if self._count == 1:
            return value
        return Mirrored([_again(value) for _ in range(self._count)])

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Sequence[Any], options: Any = None
    ) -> list[Any]:
        require_cross_replica("batch_reduce_to", self._strategy)
        return [self.reduce_to(reduce_op, v, d, options) for v, d in value_destination_pairs]

    def update(
        self,
        var: Variable,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        replica = replica_of(self._strategy)
        if replica is not None:

            def updated(strategy: Strategy, *args: Any, **kwargs: Any) -> Any:
                return self.update(var, fn, args, kwargs, group)

            return replica.merge_call(updated, args, kwargs)
        check_own(self._strategy, var, "StrategyExtended.update")
        args, kwargs = _as_one(var, tuple(args)), _as_one(var, dict(kwargs or {}))
        with updating(self._strategy):
            found = fn(var, *args, **kwargs)
        return found if group else nest.map_structure(lambda x: (x,) * self._count, found)

    def _reduce(self, kind: ReduceOp, value: Any, axis: Any) -> Any:
        if axis is None:
            return self.reduce_to(kind, value, destinations=None)
        for leaf in nest.flatten(value):
            for part in values_of(leaf) or (leaf,):
                check_axis(part, axis, "Strategy.reduce")
        sums = self._run(functools.partial(_summed, axis=axis), (value,), {})
        totals = self._totals(sums)
        if kind is ReduceOp.SUM:
            return totals
        counts = self._totals(self._run(functools.partial(_counted, axis=axis), (value,), {}))
        return nest.map_structure(lambda t, c: t / c, totals, counts)

    def _read_across(self, handle: Any, dtype: DType, kind: str) -> Tensor:
        """The values of replicas as one: their "sum" or "mean", or the "first" of them."""
        return read_rows(handle, dtype, kind)

    def _same_everywhere(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a variable that is the same on all replicas."""
        return kwargs

    def _totals(self, sums: Any) -> Any:
        if self._total == 1:
            return sums
        return self.reduce_to(ReduceOp.SUM, sums, destinations=None)

    def _gather(self, value: Any, axis: int, options: Any = None) -> Any:
        def gather(leaf: Any) -> Any:
            check_gathered(values_of(leaf) or (leaf,), axis)
            if isinstance(leaf, fused.OfAll) and leaf.own.shape.is_fully_defined():
                return leaf._replica._end_to_end(leaf.own, axis)
            values = values_of(leaf)
            return as_value(leaf) if values is None else gathered(values, axis)

        return nest.map_structure(gather, value)

    def _local_results(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, DistributedValues) or values_of(value) is not None:
            return tuple(values_of(value) or ())
        if not nest.is_nested(value):
            return (value,)
        parts = [values_of(leaf) for leaf in nest.flatten(value)]
        if all(part is None for part in parts):
            return (value,)
        return tuple(
            nest.map_structure(lambda leaf, i=number: _part(leaf, i), value)
            for number in range(self._count)
        )

    def _distribute_dataset(self, dataset: Any, options: InputOptions | None) -> Any:
        return DistributedDataset(dataset, self._count)

    def _own_part(self, batch: Any) -> Any:
        """A tensor with a row for each sample, divided among the replicas of this process."""
        return divide(batch, self._count)

    def _datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: InputOptions | None
    ) -> Any:
        dataset = dataset_fn(InputContext(1, 0, self._count))
        return DistributedDataset(grouped(dataset, self._count), self._count, divided=True)

    def _values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        made = [value_fn(ValueContext(number, self._count)) for number in range(self._count)]
        return regroup(made, always=True)


def is_everywhere(destinations: Any) -> bool:
    """Whether a value is asked for on each of several devices."""
    if isinstance(destinations, list | tuple):
        return len(destinations) > 1
    return values_of(destinations) is not None


def _mean(whole: Tensor, axis: int) -> Any:
    return raw_ops.Sum(whole, axis) / whole.shape[0]


def _as_one(variable: Variable, nested: Any) -> Any:
    """A nest as any replica sees it, to which a variable is to be the same."""

    def own(value: Any) -> Any:
        if isinstance(value, fused.OfAll):
            return value.own
        return the_same(variable, value)

    return nest.map_structure(own, nested)


def _again(value: Any) -> Any:
    if isinstance(value, IndexedSlices):
        rows, indices = raw_ops.Identity(value.values), raw_ops.Identity(value.indices)
        return IndexedSlices(rows, indices, value.dense_shape)
    return raw_ops.Identity(value)


def _part(leaf: Any, number: int) -> Any:
    values = values_of(leaf)
    return leaf if values is None else values[number]


def _summed(value: Any, axis: Any) -> Any:
    return nest.map_structure(lambda v: reductions.reduce_sum(v, axis), value)


def _counted(value: Any, axis: Any) -> Any:
    """How many elements the sum of each is made of."""

    return nest.map_structure(lambda v: _count_of(convert_to_tensor(v), axis), value)


def _count_of(value: Tensor, axis: Any) -> Any:
    rank = value.shape.rank
    places = axis if rank is None else np.mod(axis, rank)
    sizes = raw_ops.GatherV2(raw_ops.Shape(value), places, 0)
    count = reductions.reduce_prod(sizes)
    return raw_ops.Cast(count, DstT=value.dtype)


def resolved(devices: Sequence[str] | None, strategy: str) -> tuple[str, ...]:
    """Full names of devices, all of the best kind there is if none are given."""
    known = [device.name for device in list_logical_devices()]
    if not devices:
        kinds = [[n for n in known if f":{kind}:" in n] for kind in ("TPU", "GPU", "CPU")]
        return tuple(_HERE.to_string() + name for name in next(filter(None, kinds)))
    names = [getattr(device, "name", device) for device in devices]
    if isinstance(devices, str) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{strategy}: `devices` must be a list of names, got {devices!r}")
    found = []
    for name in names:
        spec = DeviceSpec.from_string(name)
        if _HERE.make_merged_spec(spec).replace(device_type=None, device_index=None) != _HERE:
            message = f"{strategy}: {name!r} is no device of this process, {_HERE.to_string()}."
            raise InvalidArgumentError(None, None, message)
        kind, index = spec.device_type or "CPU", spec.device_index or 0
        found.append(DeviceSpec(device_type=kind, device_index=index).to_string())
    if len(set(found)) < len(found):
        raise AssertionError(f"{strategy}: `devices` names one twice: {found}")
    absent = [name for name in found if name not in known]
    if absent:
        logger.warning(
            "%s: there is no %s, only %s. What is placed there runs on the first CPU. A CPU is "
            "split by tf.config.set_logical_device_configuration before the first op runs.",
            *(strategy, ", ".join(absent), ", ".join(known)),
        )
    return tuple(_HERE.to_string() + name for name in found)


class MirroredStrategy(Strategy):
    """Replicas on several devices of this process, which keep their variables the same.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    >>> with strategy.scope():
    ...     v = tf.Variable(2.0)
    >>> strategy.run(lambda: v * 3.0).numpy()
    np.float32(6.0)
    """

    def __init__(
        self,
        devices: Sequence[str] | None = None,
        cross_device_ops: CrossDeviceOps | None = None,
    ) -> None:
        super().__init__(MirroredExtended(self, devices, cross_device_ops))
