"""Accumulators of gradients, and stacks, as resources."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from runnel.core.op.op import op
from runnel.core.state.resource import Resource
from runnel.core.values.deadlines import wait_for
from runnel.core.values.dtypes import NUMERIC, DType
from runnel.core.values.errors import invalid
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Namespace
from runnel.ops.resources.lookup_tables import shared
from runnel.ops.shapes import nothing, scalar, unknown


class Accumulator(Resource):
    """Gradients of one step, added up until somebody takes them."""

    def __init__(self, dtype: DType, reduction: str) -> None:
        super().__init__()
        self.dtype, self._reduction = dtype, reduction
        self._changed = threading.Condition(self.lock)
        self._step, self.count = 0, 0
        self._total: Any = None

    def apply(self, step: int, gradient: Array) -> None:
        """Add a gradient, unless it is of an older step."""
        with self._changed:
            if self._total is not None and np.shape(self._total) != np.shape(gradient):
                raise invalid(f"The gradient must have the shape {np.shape(self._total)}.")
            if step < self._step:
                return
            self._total = gradient if self._total is None else self._total + gradient
            self.count += 1
            self._changed.notify_all()

    def set_step(self, step: int) -> None:
        with self._changed:
            self._step = max(step, self._step)

    def take(self, required: int) -> Array:
        """The mean, or the sum, of as many gradients as are required, or more."""
        if required < 1:
            raise invalid(f"`num_required` must be positive, got {required}.")
        with self._changed:
            wait_for(self._changed, lambda: self.count >= required)
            total, count = self._total, self.count
            self._total, self.count, self._step = None, 0, self._step + 1
        if self._reduction == "SUM":
            return total  # type: ignore[no-any-return]
        return (total / np.asarray(count, total.dtype)).astype(total.dtype)  # type: ignore[no-any-return]


@op(
    "ResourceConditionalAccumulator",
    "-> handle: resource",
    dtype=NUMERIC,
    shape=scalar,
    effects="queues",
)
def _accumulator(
    xp: Namespace,
    *,
    dtype: DType,
    shape: TensorShape,
    container: str = "",
    shared_name: str = "",
    reduction_type: str = "MEAN",
) -> Accumulator:
    # `shape` tells readers of the graph; as in TensorFlow, the first gradient decides.
    made: Accumulator = shared(container, shared_name, lambda: Accumulator(dtype, reduction_type))
    return made


@op(
    "ResourceAccumulatorApplyGradient",
    "handle: resource, local_step: int64, gradient: dtype ->",
    dtype=NUMERIC,
    shape=nothing,
    effects="queues",
)
def _apply_gradient(xp: Namespace, handle: Accumulator, local_step: Array, gradient: Array) -> None:
    if np.asarray(gradient).dtype != handle.dtype.np_dtype:
        raise invalid(f"The gradient must be of dtype {handle.dtype.name}.")
    handle.apply(int(local_step), gradient)


@op(
    "ResourceAccumulatorNumAccumulated",
    "handle: resource -> num_accumulated: int32",
    shape=scalar,
    effects="queues",
)
def _num_accumulated(xp: Namespace, handle: Accumulator) -> Array:
    return np.asarray(handle.count, np.int32)


@op(
    "ResourceAccumulatorSetGlobalStep",
    "handle: resource, new_global_step: int64 ->",
    shape=nothing,
    effects="queues",
)
def _set_global_step(xp: Namespace, handle: Accumulator, new_global_step: Array) -> None:
    handle.set_step(int(new_global_step))


@op(
    "ResourceAccumulatorTakeGradient",
    "handle: resource, num_required: int32 -> average: dtype",
    dtype=NUMERIC,
    shape=unknown,
    effects="queues",
)
def _take_gradient(
    xp: Namespace, handle: Accumulator, num_required: Array, *, dtype: DType
) -> Array:
    return handle.take(int(num_required))


class Stack(Resource):
    """Tensors of one dtype, of which the last is taken first."""

    def __init__(self, size: int, dtype: DType) -> None:
        super().__init__()
        self._most, self._dtype = size, dtype
        self._items: list[Array] = []

    def push(self, elem: Array) -> None:
        if 0 <= self._most <= len(self._items):
            raise invalid(f"The stack is full: it holds {self._most} elements.")
        if np.asarray(elem).dtype != self._dtype.np_dtype:
            raise invalid(f"The elements of the stack are of dtype {self._dtype.name}.")
        self._items.append(elem)

    def pop(self) -> Array:
        if not self._items:
            raise invalid("The stack is empty.")
        return self._items.pop()

    def close(self) -> None:
        self._items.clear()


@op("StackV2", "max_size: int32 -> handle: resource", shape=scalar)
def _stack(xp: Namespace, max_size: Array, *, elem_type: DType, stack_name: str = "") -> Stack:
    return Stack(int(max_size), elem_type)


@op("StackPushV2", "handle: resource, elem: T -> output: T", shape=lambda h, e, **_: e.dims)
def _push(xp: Namespace, handle: Stack, elem: Array, *, swap_memory: bool = False) -> Array:
    handle.push(elem)
    return elem


@op("StackPopV2", "handle: resource -> elem: elem_type", shape=unknown)
def _pop(xp: Namespace, handle: Stack, *, elem_type: DType) -> Array:
    return handle.pop()


@op("StackCloseV2", "handle: resource ->", shape=nothing)
def _close(xp: Namespace, handle: Stack) -> None:
    handle.close()
