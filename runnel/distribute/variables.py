"""Variables of several replicas: mirrored ones, and those that are summed up when they are read.

Each has one handle, as any variable, so that tapes, plans and checkpoints know nothing of them.
The copies of a mirrored variable are the same, so that one value stands for all. One that is
synchronised on read is an array with a row for each replica.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from runnel.core.gradients.variable_reads import note_read, record_read
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.state.variable import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
    first_value,
)
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.indexing import getitem, strided_slice_assign
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import TensorLike
from runnel.distribute.contexts import Context, current, entered, replica_of
from runnel.distribute.reductions import (
    ReduceOp,
    check_mean,
    not_reducible,
    reduced,
    write_rows,
)
from runnel.distribute.values import DistributedValues, Mirrored, PerReplica


class _Written(Variable):
    """A variable whose three ways of assigning are one method, which is told their names."""

    _write: Callable[..., Any]

    def assign(
        self,
        value: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        return self._write("assign", value, use_locking, name, read_value)

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        return self._write("assign_add", delta, use_locking, name, read_value)

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        return self._write("assign_sub", delta, use_locking, name, read_value)


class DistributedVariable(_Written):
    """A variable with a value for each replica of a strategy."""

    is_distributed_variable = True
    _held_as = "mirrored"
    _distribute_strategy: Any

    @classmethod
    def around(cls, made: Variable, strategy: Any) -> Any:
        """The variable of a strategy with the memory of a plain one."""
        if made.aggregation is VariableAggregation.MEAN:
            check_mean(made.dtype, f"tf.Variable {made.name!r}")
        variable = object.__new__(cls)
        variable.__dict__.update(made.__dict__)
        variable._distribute_strategy = strategy
        variable._handle._value.replicas = cls._held_as
        if variable._synchronization is VariableSynchronization.AUTO:
            variable._synchronization = VariableSynchronization.ON_WRITE
        return variable

    @property
    def distribute_strategy(self) -> Any:
        """The strategy under which it was made."""
        return self._distribute_strategy

    @functools.cached_property
    def values(self) -> tuple[Variable, ...]:
        """The variables of the replicas."""
        return tuple(
            self._component(number) for number in range(self._distribute_strategy.extended._count)
        )

    def _component(self, number: int) -> Variable:
        raise NotImplementedError

    def _named(self, kind: type[Variable], number: int) -> Any:
        made = object.__new__(kind)
        made.__dict__.update({k: v for k, v in self.__dict__.items() if k != "values"})
        made._name = f"{self._name}/replica_{number}" if number else self._name
        made._distributed_container = weakref.ref(self)  # type: ignore[attr-defined]
        return made

    def _replica(self) -> Any:
        """The replica that this thread is; None across replicas, and in an update."""
        replica = replica_of(self._distribute_strategy)
        return None if current().updating else replica

    def _shown(self, show: Callable[[Any], str]) -> str:
        lines = ",\n".join(f"  {i}: {show(value)}" for i, value in enumerate(self.values))
        return f"{type(self).__name__}:{{\n{lines}\n}}"

    def __repr__(self) -> str:
        return self._shown(repr)

    def __str__(self) -> str:
        return self._shown(str)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        with self._distribute_strategy.scope() if current().replica else nullcontext():
            copied = super().__deepcopy__(memo)
        return copied


def updating(strategy: Any) -> AbstractContextManager[None]:
    """A context in which variables are written as they are."""
    return entered(Context(strategy, None, True, fused=current().fused))


def _as_of_now(written: Any) -> Any:
    """What a replica gets from a write: in a graph the value, of which there is one for each."""
    is_traced = state.graph is not None and isinstance(written, Variable)
    return written.value() if is_traced else written


_NOT_SUMMED = ("scatter_min", "scatter_max", "scatter_update")
_BY_SLICES = """scatter_add scatter_sub scatter_mul scatter_div scatter_min scatter_max
scatter_update batch_scatter_update""".split()
_BY_INDICES = """scatter_nd_add scatter_nd_sub scatter_nd_update scatter_nd_max
scatter_nd_min""".split()


class MirroredVariable(DistributedVariable):
    """A variable whose copies on the replicas are the same."""

    def _component(self, number: int) -> Variable:
        return self._named(Variable, number)

    def _write(self, method: str, value: Any, *rest: Any, **kwargs: Any) -> Any:
        write = functools.partial(getattr(Variable, method), self)
        replica = self._replica()
        if replica is None:
            return write(the_same(self, value), *rest, **kwargs)
        return _as_of_now(replica._merge_write(self, write, value, rest, kwargs))

    def aggregated(self, value: Any) -> Any:
        """What replicas assign, as one value."""
        if self._distribute_strategy.extended._processes > 1:
            return self._distribute_strategy.extended._assigned(self, value)
        if not isinstance(value, DistributedValues):
            several = self._distribute_strategy.num_replicas_in_sync > 1
            if self._aggregation is VariableAggregation.SUM and several:
                raise not_reducible(ReduceOp.SUM, value)
            return value
        if self._aggregation is VariableAggregation.NONE:
            return the_same(self, value)
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return value.values[0]
        return reduced(ReduceOp.from_variable_aggregation(self._aggregation), value.values)


def _scatter_method(method: str) -> Any:
    @functools.wraps(getattr(Variable, method))
    def scatter(self: MirroredVariable, value: Any, *rest: Any, **kwargs: Any) -> Any:
        plain = self._aggregation in (
            VariableAggregation.NONE,
            VariableAggregation.ONLY_FIRST_REPLICA,
        )
        if not plain and (method in _NOT_SUMMED or method in _BY_INDICES):
            raise NotImplementedError(
                f"{method} of {self.name!r}: rows that replicas write cannot be joined by "
                f"{self._aggregation}; use the aggregation NONE or ONLY_FIRST_REPLICA"
            )
        return self._write(method, value, *rest, **kwargs)

    return scatter


for _method in (*_BY_SLICES, *_BY_INDICES):
    setattr(MirroredVariable, _method, _scatter_method(_method))


def the_same(variable: Variable, value: Any) -> Any:
    """The value of all replicas; ValueError if they differ."""
    if not isinstance(value, DistributedValues):
        return value
    if isinstance(value, Mirrored):
        return value.values[0]
    if all(isinstance(v, IndexedSlices) for v in value.values):
        rows = the_same(variable, PerReplica([v.values for v in value.values]))
        indices = the_same(variable, PerReplica([v.indices for v in value.values]))
        return IndexedSlices(rows, indices, value.values[0].dense_shape)
    first, *others = [convert_to_tensor(v) for v in value.values]
    if not all(isinstance(v, EagerTensor) for v in (first, *others)):
        message = f"{variable.name!r}: {_DIFFERENT}"
        for other in others:
            raw_ops.Assert(condition=_equal(first, other), data=[message])
    elif not all(np.array_equal(first.numpy(), v.numpy()) for v in others):  # type: ignore[attr-defined]
        raise ValueError(f"{variable.name!r}: {_DIFFERENT}")
    return first


_DIFFERENT = (
    "replicas assign different values to a mirrored variable without an aggregation. Make it with "
    "aggregation=tf.VariableAggregation.SUM, MEAN or ONLY_FIRST_REPLICA, or with "
    "synchronization=tf.VariableSynchronization.ON_READ. What is assigned across replicas, outside "
    "of a replica, is not aggregated: reduce it first."
)


def _equal(x: Tensor, y: Tensor) -> Tensor:
    same = raw_ops.Equal(x, y)
    axes = raw_ops.Range(0, raw_ops.Rank(same), 1)
    return raw_ops.All(same, axes)  # type: ignore[no-any-return]


class _Row(_Written):
    """The part of a variable that belongs to one replica."""

    _row: Any

    @property
    def shape(self) -> TensorShape:
        return self._handle._value.static_shape[1:]  # type: ignore[no-any-return]

    def value(self) -> Tensor:
        note_read(self)
        with context.unrecorded() if state.graph is None else nullcontext():
            whole = raw_ops.ReadVariableOp(self._handle, dtype=self._dtype)
            row: Tensor = getitem(whole, self._row)
        if state.graph is None and state.tapes:
            record_read(self, row)
        return row

    def numpy(self) -> Any:
        return self.value().numpy()  # type: ignore[attr-defined]

    def _write(
        self, method: str, value: Any, locking: bool, name: str | None, read_value: bool
    ) -> Any:
        tensor = convert_to_tensor(value, dtype=self._dtype)
        if method != "assign":
            tensor = self._delta(tensor, method)
            change = raw_ops.AddV2 if method == "assign_add" else raw_ops.Sub
            tensor = change(self.value(), tensor)
        if not self._may_hold(tensor):
            raise ValueError(
                f"Cannot assign to the variable {self.name!r} of shape {self.shape}: "
                f"`value` has shape {tensor.shape}."
            )
        strided_slice_assign(self._handle, self._row, tensor)
        return _as_of_now(self._written(read_value))

    def __repr__(self) -> str:
        value = self.value()
        text = repr(value).partition("numpy=")[2] if isinstance(value, EagerTensor) else "...>"
        kind = f"shape={self.shape} dtype={self._dtype.name}"
        return f"<tf.Variable '{self.name}' {kind}, numpy={text}"


class SyncOnReadVariable(DistributedVariable):
    """A variable that each replica writes for itself, and that is reduced when it is read."""

    _held_as = "rows"

    @property
    def shape(self) -> TensorShape:
        return self._handle._value.static_shape[1:]  # type: ignore[no-any-return]

    def _component(self, number: int) -> Variable:
        made: Variable = self._row_of(number)
        return made

    def _row_of(self, row: Any) -> Any:
        number = row if isinstance(row, int) else 0
        made = self._named(_Row, number)
        made._row = row
        return made

    def _own(self) -> Any:
        """The part of the replica that asks; None across replicas."""
        replica = self._replica()
        if replica is None:
            return None
        return self._row_of(replica.row) if replica.number is None else self.values[replica.number]

    def value(self) -> Tensor:
        own = self._own()
        return self._across() if own is None else own.value()

    def _across(self) -> Tensor:
        """The values of all replicas as one."""
        first = self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA
        kind = ReduceOp.from_variable_aggregation(self._aggregation)
        note_read(self)
        fused = current().fused
        if fused is not None:
            own = self._row_of(fused.row).value()
            return fused.first(own) if first else fused.reduced(kind, own)  # type: ignore[no-any-return]
        how = "first" if first else kind.value.lower()
        return self._distribute_strategy.extended._read_across(self._handle, self._dtype, how)  # type: ignore[no-any-return]

    def numpy(self) -> Any:
        if state.graph is not None:
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return self.value().numpy()  # type: ignore[attr-defined]

    def _write(self, method: str, value: Any, *rest: Any) -> Any:
        own = self._own()
        if own is not None:
            return getattr(own, method)(value, *rest)
        if isinstance(value, DistributedValues) and method == "assign":
            for part, item in zip(self.values, value.values, strict=True):
                part.assign(item)
        else:
            self._write_across(method, value)
        *_, read_value = rest
        return self.value() if read_value else None

    def _write_across(self, method: str, value: Any) -> None:
        """Write a value for all replicas; of a sum, each gets its share."""
        is_sum = self._aggregation is VariableAggregation.SUM
        if method != "assign" and is_sum:
            raise ValueError(
                f"{method} of {self.name!r} across replicas: what each of them is to get of a "
                "sum is not said. Call it in Strategy.run, or assign a new value."
            )
        count = self._distribute_strategy.num_replicas_in_sync if is_sum else 1
        tensor = convert_to_tensor(value, dtype=self._dtype)
        fused = current().fused
        if fused is not None:
            share = raw_ops.Cast(tensor / count, DstT=self._dtype) if is_sum else tensor
            getattr(self._row_of(fused.row), method)(share)
            return
        if not self._may_hold(tensor):
            raise ValueError(
                f"Cannot assign to the variable {self.name!r} of shape {self.shape}: "
                f"`value` has shape {tensor.shape}."
            )
        write_rows(self._handle, tensor, method, count)

    def _scatter(self, op: Any, indices: TensorLike, updates: TensorLike, name: str | None) -> Any:
        raise NotImplementedError(
            f"{self.name!r}: rows of a variable with synchronization=ON_READ cannot be written "
            "by their indices; assign the whole value."
        )

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        return raw_ops.GatherV2(self.value(), indices, 0, name=name)  # type: ignore[no-any-return]

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        return raw_ops.GatherNd(self.value(), indices, name=name)  # type: ignore[no-any-return]

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"VARIABLE_VALUE": self._across()}

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> None:
        with entered(Context(self._distribute_strategy, None)):
            self.assign(restored_tensors["VARIABLE_VALUE"])


def created(strategy: Any, next_creator: Callable[..., Variable], **kwargs: Any) -> Any:
    """A variable of a strategy, as its arguments ask for."""
    synchronization = kwargs.get("synchronization", VariableSynchronization.AUTO)
    if synchronization is VariableSynchronization.NONE:
        raise ValueError(
            f"tf.Variable {kwargs.get('name')!r}: synchronization=NONE is not possible under a "
            "strategy; use ON_WRITE or ON_READ"
        )
    if current().making:
        return next_creator(**kwargs)
    kwargs["caching_device"] = None
    with context.unrecorded(), entered(current()._replace(making=True)):
        if synchronization is not VariableSynchronization.ON_READ:
            kwargs = strategy.extended._same_everywhere(kwargs)
            return MirroredVariable.around(next_creator(**kwargs), strategy)
        return SyncOnReadVariable.around(next_creator(**_in_rows(strategy, kwargs)), strategy)


def _in_rows(strategy: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments that make a variable with a row for each replica."""
    count = strategy.extended._count
    given, dtype, shape = kwargs["initial_value"], kwargs.get("dtype"), kwargs.get("shape")
    if given is None:
        return kwargs

    def rows() -> Tensor:
        value, _ = first_value(given, dtype, shape)
        return raw_ops.Pack([value] * count)  # type: ignore[no-any-return]

    known = None if shape is None else TensorShape([count]).concatenate(TensorShape(shape))
    return {**kwargs, "initial_value": rows, "shape": known}


def check_own(strategy: Any, variable: Any, method: str) -> None:
    """ValueError unless a variable was made in the scope of a strategy."""
    if getattr(variable, "_distribute_strategy", None) is not strategy:
        raise ValueError(
            f"{method}: {getattr(variable, 'name', variable)!r} was not made in the scope of "
            f"{strategy}"
        )
