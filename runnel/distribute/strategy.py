"""`tf.distribute.Strategy`, and the strategies of one replica: the default, `OneDeviceStrategy`.

A program that is written for several replicas runs with one: `run` calls the function once, a
reduction over replicas changes nothing, a dataset is not divided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import runnel.ops.reduce.reductions as reductions
from runnel.autograph.calls import converted_call
from runnel.core.settings.device import device as device_scope
from runnel.core.settings.device_spec import DeviceSpec
from runnel.core.settings.scopes import variable_creator_scope
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import constant, convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.data.dataset.dataset import Dataset
from .contexts import Context, current, entered, has_strategy, process, require_cross_replica
from .datasets import no_dataset
from .inputs import InputContext, InputOptions, RunOptions, check_options, check_run_options
from .reductions import ReduceOp, as_value
from .reductions import reduce_op as _kind


class ValueContext:
    """What a function that makes the value of a replica is told."""

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync


class ReplicaContext:
    """What a replica knows of itself, and what it can ask of the others."""

    number = 0  # its number, where Python knows it

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: Any) -> None:
        self._strategy = strategy
        self._id = replica_id_in_sync_group

    @property
    def strategy(self) -> Strategy:
        """The strategy it runs under."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas take a step together."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """Its number among them."""
        return self._id

    @property
    def devices(self) -> tuple[str, ...]:
        """Where it runs."""
        return self._strategy.extended._replica_devices

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call a function across replicas, with the strategy and the values of all replicas."""
        with entered(Context(self._strategy, None)):
            return converted_call(merge_fn)(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The sum or the mean of a value over all replicas."""
        _kind(reduce_op)
        return nest.map_structure(as_value, value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The values of all replicas, one behind the other along `axis`."""
        return nest.map_structure(convert_to_tensor, value)


class StrategyExtended:
    """What libraries on top of a strategy use of it: devices, updates of variables."""

    _count = 1  # the replicas of this process
    _processes = 1
    _first = 0  # the number of this process's first replica
    experimental_require_static_shapes = False
    should_checkpoint = True
    should_save_summary = True
    _global_batch_size = True  # datasets are given with batches for all replicas

    def _in_multi_worker_mode(self) -> bool:
        """Whether other processes take part; libraries ask."""
        return False

    def __init__(self, container_strategy: Strategy) -> None:
        self._strategy = container_strategy

    @property
    def _total(self) -> int:
        """The replicas of all processes."""
        return self._count * self._processes

    def _container_strategy(self) -> Strategy:
        return self._strategy

    @property
    def _replica_devices(self) -> tuple[str, ...]:
        return ("",)

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices on which replicas run."""
        raise RuntimeError("The default strategy has no worker_devices of its own.")

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices on which variables are."""
        raise RuntimeError("The default strategy has no parameter_devices of its own.")

    def _scope(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def _run(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call a function as each replica: here once."""
        with (
            self._scope(),
            entered(Context(self._strategy, ReplicaContext(self._strategy, constant(0)))),
        ):
            return converted_call(fn)(*args, **kwargs)

    def _reduce(self, kind: ReduceOp, value: Any, axis: Any) -> Any:
        if axis is None:
            return value
        reduced = reductions.reduce_sum if kind is ReduceOp.SUM else reductions.reduce_mean
        return reduced(value, axis)

    def _gather(self, value: Any, axis: int, options: Any = None) -> Any:
        return nest.map_structure(convert_to_tensor, value)

    def _local_results(self, value: Any) -> tuple[Any, ...]:
        return (value,)

    def _distribute_dataset(self, dataset: Any, options: InputOptions | None) -> Any:
        return dataset

    def _datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: InputOptions | None
    ) -> Any:
        return dataset_fn(InputContext())

    def _values_from_function(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        return value_fn(ValueContext())

    def variable_created_in_scope(self, v: Variable) -> bool:
        """Whether a variable was made under this strategy."""
        made_by = getattr(v, "_distribute_strategy", None) or process.default.strategy
        return made_by is self._strategy

    def value_container(self, value: Any) -> Any:
        """The distributed value that a replica's value is a part of."""
        return value

    def read_var(self, v: Variable) -> Tensor:
        """The value of a variable, over all replicas."""
        return v.read_value()

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        """A scope whose variables lie where another one does."""
        if not isinstance(colocate_with_variable, Variable):
            raise TypeError(
                "colocate_vars_with: `colocate_with_variable` must be a variable, "
                f"got {colocate_with_variable!r}"
            )
        return device_scope(colocate_with_variable.device)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """The sum or the mean of a value over all replicas, where `destinations` are."""
        require_cross_replica("reduce_to", self._strategy)
        _kind(reduce_op)
        return nest.map_structure(as_value, value)

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Sequence[Any], options: Any = None
    ) -> list[Any]:
        """Several reductions at once."""
        return [self.reduce_to(reduce_op, v, d, options) for v, d in value_destination_pairs]

    def update(
        self,
        var: Variable,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Call a function with a variable, where the variable lies."""
        found = converted_call(fn)(var, *args, **(kwargs or {}))
        return found if group else (found,)


class Strategy:
    """How a program is spread over devices.

    >>> strategy = tf.distribute.get_strategy()
    >>> strategy.run(lambda x: x + 1.0, args=(tf.constant(1.0),)).numpy()
    np.float32(2.0)
    """

    _is_default = False  # whether it holds where no other was chosen
    _should_use_with_coordinator = False  # asked by libraries, as is the next
    _cluster_coordinator: Any = None

    def __init__(self, extended: StrategyExtended) -> None:
        if not isinstance(extended, StrategyExtended):
            raise TypeError(
                f"Strategy: `extended` must be a tf.distribute.StrategyExtended, got {extended!r}."
            )
        self._extended = extended

    @property
    def extended(self) -> StrategyExtended:
        """What libraries use of it."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas take a step together."""
        return self._extended._total

    @property
    def cluster_resolver(self) -> Any:
        """Who knows the other hosts; nobody."""
        return None

    @contextmanager
    def scope(self) -> Iterator[Strategy]:
        """A context under this strategy: variables that are made in it are its own."""
        context = current()
        if has_strategy() and context.strategy is not self:
            raise RuntimeError(
                f"Strategies cannot be mixed: the scope of {context.strategy} is entered already, "
                f"so that of {self} cannot be"
            )
        require_cross_replica("Strategy.scope")
        with entered(self._own_context()), self._extended._scope():
            yield self

    def _own_context(self) -> Context:
        return Context(self, None)

    def run(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        options: RunOptions | None = None,
    ) -> Any:
        """Call a function as each replica."""
        if not callable(fn):
            raise TypeError(f"Strategy.run: `fn` must be callable, got {fn!r}")
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"Strategy.run: `args` must be a tuple or a list, got {args!r}")
        check_run_options(options)
        require_cross_replica("Strategy.run", self)
        return self._extended._run(fn, args, kwargs or {})

    def reduce(self, reduce_op: Any, value: Any, axis: int | Sequence[int] | None) -> Any:
        """The sum or the mean of a value over all replicas, and over an axis of it if asked for."""
        require_cross_replica("Strategy.reduce", self)
        kind = _kind(reduce_op)
        return self._extended._reduce(kind, value, axis)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas, one behind the other along `axis`."""
        require_cross_replica("Strategy.gather", self)
        return self._extended._gather(value, axis)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of the replicas of this process."""
        return self._extended._local_results(value)

    unwrap = experimental_local_results  # its older name

    def experimental_distribute_dataset(
        self, dataset: Any, options: InputOptions | None = None
    ) -> Any:
        """The dataset, of which each replica gets its share."""
        check_options(options)
        return self._extended._distribute_dataset(dataset, options)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[[InputContext], Any], options: InputOptions | None = None
    ) -> Any:
        """A dataset from a function that is told which share it is for."""
        check_options(options)
        return self._extended._datasets_from_function(dataset_fn, options)

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], Any]
    ) -> Any:
        """The values that a function makes for each replica."""
        return self._extended._values_from_function(value_fn)


class _Default(Strategy):
    """The strategy that holds where no other was chosen: code is its only replica."""

    _is_default = True

    def __init__(self) -> None:
        super().__init__(StrategyExtended(self))
        process.default = Context(self, ReplicaContext(self, 0))

    def _own_context(self) -> Context:
        context: Context = process.default
        return context


class _OneDevice(StrategyExtended):
    def _distribute_dataset(self, dataset: Any, options: InputOptions | None) -> Any:
        if not isinstance(dataset, Dataset):
            raise no_dataset(dataset)
        return dataset

    def __init__(self, container_strategy: Strategy, device: str) -> None:
        super().__init__(container_strategy)
        if not isinstance(device, str):
            raise TypeError(f"OneDeviceStrategy: `device` must be a name, got {device!r}")
        local = DeviceSpec.from_string("/job:localhost/replica:0/task:0/device:CPU:0")
        self._device = local.make_merged_spec(DeviceSpec.from_string(device)).to_string()

    @property
    def _replica_devices(self) -> tuple[str, ...]:
        return (self._device,)

    @property
    def worker_devices(self) -> tuple[str, ...]:
        return (self._device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        return (self._device,)

    @contextmanager
    def _scope(self) -> Iterator[None]:
        with device_scope(self._device), variable_creator_scope(self._created):
            yield

    def _created(self, next_creator: Callable[..., Variable], **kwargs: Any) -> Variable:
        made = next_creator(**kwargs)
        made._distribute_strategy = self._strategy  # type: ignore[attr-defined]
        return made


class OneDeviceStrategy(Strategy):
    """All variables and all work on one device.

    >>> strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    >>> with strategy.scope():
    ...     v = tf.Variable(2.0)
    >>> strategy.run(lambda: v * 3.0).numpy()
    np.float32(6.0)
    """

    def __init__(self, device: str) -> None:
        super().__init__(_OneDevice(self, device))


_Default()
