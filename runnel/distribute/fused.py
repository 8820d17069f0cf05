"""Replicas that are traced once, and run together as one program (`ReplicatedCall`).

A function is traced as one replica would call it, whose number is not known yet. What it asks of
the others are collective operations. Where that cannot be done, `why_not` says so, and the replicas
are traced one by one (`replicas.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.autograph.calls import converted_call
from runnel.core.gradients.custom import custom_gradient
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.meshes import devices_of
from runnel.core.state.variable import Variable, VariableAggregation
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import resource
from runnel.core.values.shape import TensorShape
from runnel.distribute.contexts import Context, NotFused, entered
from runnel.distribute.reductions import (
    ReduceOp,
    as_value,
    check_gathered,
    divided,
    not_reducible,
    reduce_op,
)
from runnel.distribute.strategy import ReplicaContext, Strategy
from runnel.distribute.values import DistributedValues, PerReplica, Stacked
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.control.collectives import all_gather, all_reduce, replica_id, replica_row
from runnel.graph.control.replicated import (
    ROWS,
    SHARED,
    STACKED,
    Differs,
    held_by,
    replicated_call,
    varying_outputs,
)
from runnel.graph.control.subgraphs import inside
from runnel.graph.run.nested import is_host, written_inputs
from runnel.graph.run.program import program_of

if TYPE_CHECKING:
    from runnel.graph.build.graph import Graph

_kind = reduce_op


class OfAll(PerReplica):
    """The values of all replicas in the trace of one, which knows its own."""

    def __init__(self, own: Any, replica: FusedReplica) -> None:
        self.own, self._replica = own, replica

    @property
    def values(self) -> tuple[Any, ...]:
        count = self._replica.num_replicas_in_sync
        if isinstance(self.own, IndexedSlices):
            raise NotFused("slices of all replicas are looked at one by one")
        whole = all_gather(convert_to_tensor(self.own), count=count)
        return tuple(whole[number] for number in range(count))


class FusedReplica(ReplicaContext):
    """The replica for which a function is traced: any of them."""

    number = None  # type: ignore[assignment]

    def __init__(self, strategy: Strategy, graph: Graph) -> None:
        super().__init__(strategy, None)
        self.graph = graph
        self.shared: set[int] = set()  # ids of tensors that are one object for all replicas

    @property
    def replica_id_in_sync_group(self) -> Any:
        return replica_id()

    @property
    def row(self) -> Any:
        """The row that this replica has of variables with one for each."""
        return replica_row()

    @property
    def devices(self) -> Any:
        raise NotFused("a replica asks for its device")

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        together = [nest.map_structure(self._of_all, part) for part in (tuple(args), kwargs or {})]
        with entered(Context(self._strategy, None, fused=self)):
            found = converted_call(merge_fn)(self._strategy, *together[0], **together[1])
        return nest.map_structure(self._own, found)

    def _of_all(self, value: Any) -> Any:
        known = isinstance(value, Tensor) and value._id in self.shared
        is_value = isinstance(value, Tensor | IndexedSlices) and not known
        return OfAll(value, self) if is_value else value

    def _own(self, value: Any) -> Any:
        if isinstance(value, OfAll):
            return value.own
        if isinstance(value, DistributedValues):
            return value.values[0]
        if isinstance(value, Tensor):
            self.shared.add(value._id)
        return value

    def _once(self, fn: Callable[..., Any], args: Sequence[Any]) -> Any:
        with entered(Context(self._strategy, None, True, fused=self)):
            return fn(*args)

    def _merge_write(
        self, variable: Any, write: Callable[..., Any], value: Any, rest: Any, kwargs: Any
    ) -> Any:
        """Write what replicas assign to a mirrored variable."""
        kind = variable.aggregation
        is_value = isinstance(value, Tensor | IndexedSlices | Variable)
        if kind is VariableAggregation.SUM and not is_value:
            raise not_reducible(ReduceOp.SUM, value)
        if is_value and kind is VariableAggregation.ONLY_FIRST_REPLICA:
            value = self.first(value)
        elif is_value and kind is not VariableAggregation.NONE:
            value = self.reduced(ReduceOp.from_variable_aggregation(kind), as_value(value))
        with entered(Context(self._strategy, None, True, fused=self)):
            return write(value, *rest, **kwargs)

    def first(self, value: Any) -> Any:
        """The value of the first replica, on all of them."""
        if isinstance(value, IndexedSlices):
            raise NotFused("slices of the first replica are assigned on all")
        return all_reduce(convert_to_tensor(value), kind="first")

    def reduced(self, kind: ReduceOp, value: Any) -> Any:
        """The sum or the mean over all replicas."""
        if isinstance(value, IndexedSlices):
            rows, indices = self._end_to_end(value.values, 0), self._end_to_end(value.indices, 0)
            total: Any = IndexedSlices(rows, indices, value.dense_shape)
        else:
            total = all_reduce(value, kind="sum")
        return total if kind is ReduceOp.SUM else divided(total, self.num_replicas_in_sync)

    def _end_to_end(self, value: Tensor, axis: int) -> Tensor:
        whole = all_gather(value, count=self.num_replicas_in_sync)
        parts = raw_ops.Unpack(whole, num=self.num_replicas_in_sync)
        return raw_ops.ConcatV2(values=parts, axis=axis)  # type: ignore[no-any-return]

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        kind = _kind(reduce_op)
        values = [as_value(leaf) for leaf in nest.flatten(value)]
        return nest.pack_sequence_as(value, [self._all_reduced(kind, v) for v in values])

    def _all_reduced(self, kind: ReduceOp, value: Any) -> Any:
        if isinstance(value, IndexedSlices):
            return self.reduced(kind, value)

        @custom_gradient
        def reduce(tensor: Tensor) -> Any:
            return self.reduced(kind, tensor), lambda dy: self._all_reduced(kind, dy)

        return reduce(value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        check_gathered(nest.flatten(value), axis)
        return nest.map_structure(lambda v: self._gathered(convert_to_tensor(v), axis), value)

    def _gathered(self, value: Tensor, axis: int) -> Any:
        if not value.shape.is_fully_defined():
            raise NotFused("all_gather of parts whose sizes may differ")
        rows = value.shape[axis] or 0

        @custom_gradient
        def gather(tensor: Tensor) -> Any:
            def gradient(dy: Tensor) -> Tensor:
                total = self._all_reduced(ReduceOp.SUM, dy)
                places = raw_ops.AddV2(replica_id() * rows, np.arange(rows, dtype=np.int32))
                return raw_ops.GatherV2(total, places, axis)  # type: ignore[no-any-return]

            return self._end_to_end(tensor, axis), gradient

        return gather(value)


def why_not(strategy: Strategy, args: Any, kwargs: Any) -> str | None:
    """Why replicas cannot be traced as one; None if they can."""
    extended: Any = strategy.extended
    if state.tapes:
        return "a gradient is asked for from outside Strategy.run"
    if extended._processes > 1:
        return "the replicas are in several processes"
    if extended._count == 1:
        return "there is one replica"
    for leaf in nest.flatten((args, kwargs)):
        if isinstance(leaf, DistributedValues) and not isinstance(leaf, Stacked):
            specs = {(v.dtype, tuple(v.shape)) if _is_fixed(v) else None for v in leaf.values}
            if len(specs) > 1 or None in specs:
                return "the parts of replicas differ in size, or may do so"
    try:
        devices_of(extended._devices)
    except (RuntimeError, IndexError):
        return "not all devices are there, or JAX was started before the CPU was split"
    return None


def _is_fixed(value: Any) -> bool:
    return isinstance(value, Tensor) and value.shape.is_fully_defined()


def run(strategy: Strategy, fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a function as all replicas at once; `NotFused` if that is not possible."""
    outer: Any = state.graph
    given = (tuple(args), dict(kwargs))
    extended: Any = strategy.extended
    leaves = [leaf for leaf in nest.flatten(given) if _is_parts(leaf)]
    stacked = [_stacked(leaf, extended._count) for leaf in leaves]
    body = FuncGraph("replica", outer=outer)
    replica = FusedReplica(strategy, body)
    with context.building(body):
        places = iter([body.add_input(t.dtype, t.shape[1:]._dims, "part") for t in stacked])
        own = nest.map_structure(lambda x: next(places) if _is_parts(x) else x, given)
        with extended._scope(), entered(Context(strategy, replica)):
            result = converted_call(fn)(*own[0], **own[1])
        leaves = nest.flatten(result, expand_composites=True)
        outputs = [_output(body, replica, leaf) for leaf in leaves]
    body.outputs = [t for t in outputs if isinstance(t, SymbolicTensor) and t.graph is body]
    found = iter(_call(strategy, body, replica, stacked))
    ours = [isinstance(t, SymbolicTensor) and t.graph is body for t in outputs]
    filled = [next(found) if o else t for o, t in zip(ours, outputs, strict=True)]
    return nest.pack_sequence_as(result, filled, expand_composites=True)


def _is_parts(leaf: Any) -> bool:
    return isinstance(leaf, DistributedValues)


def _stacked(value: Any, count: int) -> Tensor:
    if isinstance(value, Stacked):
        return value.whole if value.count == count else value.whole[:count]
    return raw_ops.Pack([convert_to_tensor(v) for v in value.values[:count]])  # type: ignore[no-any-return]


def _output(body: FuncGraph, replica: FusedReplica, leaf: Any) -> Any:
    """What a function returned as a tensor of its graph; other values stay what they are."""
    if isinstance(leaf, DistributedValues):
        raise NotFused("a replica returns the values of all replicas")
    if not isinstance(leaf, Tensor) or not isinstance(leaf, SymbolicTensor):
        return leaf
    return leaf if leaf.graph is body else _outside(body, leaf)


def _outside(body: FuncGraph, tensor: SymbolicTensor) -> Any:
    graph = body.outer_graph
    while graph is not None:
        if tensor.graph is graph:
            return tensor
        graph = getattr(graph, "outer_graph", None)
    return inside(body, tensor)


def _call(
    strategy: Strategy, body: FuncGraph, replica: FusedReplica, stacked: list[Tensor]
) -> list[Any]:
    """The operation in the outer graph, and its outputs for all replicas."""
    extended: Any = strategy.extended
    captured = body.external_captures
    layout = [STACKED] * len(stacked) + [_kind_of(t) for t in captured]
    if body.call_time:
        raise NotFused("what a replica captures is found at each call")
    if any(is_host(node.operation) for node in program_of(body).nodes):
        raise NotFused("a replica does what XLA cannot compile")
    inner = body.inputs
    written = {slot for op in body._operations for slot in _written(op)}
    for place, outside in zip(inner[len(stacked) :], captured, strict=True):
        if place._id in written and getattr(held_by(outside), "replicas", None) is None:
            raise NotFused("a replica writes a variable that was not made in the scope")
    shared = {
        p._id
        for p, kind in zip(inner, layout, strict=True)
        if kind == SHARED and p.dtype is resource
    }
    try:
        varies = varying_outputs(body, [kind != SHARED for kind in layout], shared)
    except Differs as error:
        raise NotFused(f"{error} may write another value on each replica") from error
    stacks = tuple(t._id not in replica.shared or v for t, v in zip(body.outputs, varies))
    count = extended._count
    shapes = tuple(
        TensorShape([count]).concatenate(t.shape) if s else t.shape
        for t, s in zip(body.outputs, stacks, strict=True)
    )
    inputs = [*stacked, *captured]
    attrs = {
        "Tin": tuple(t.dtype for t in inputs),
        "body": body,
        "layout": tuple(layout),
        "stacks": stacks,
        "devices": extended._devices,
        "Tout": tuple(t.dtype for t in body.outputs),
        "output_shapes": shapes,
    }
    found = replicated_call.apply(inputs, attrs) if body._operations else []
    return [Stacked(t, count) if s else t for t, s in zip(found, stacks, strict=True)]


def _written(operation: Any) -> list[int]:
    """The ids of the handles through which an operation writes."""
    if operation.op.writes:
        return [t._id for t in operation.inputs[: operation.op.held]]
    return [operation.inputs[i]._id for i in written_inputs(operation)]


def _kind_of(tensor: Any) -> str:
    """What a captured tensor is to the replicas."""
    if tensor.dtype is not resource:
        return SHARED
    return ROWS if getattr(held_by(tensor), "replicas", None) == "rows" else SHARED
