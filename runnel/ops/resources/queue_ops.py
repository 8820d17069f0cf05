"""Ops on queues: what makes them, fills them and takes from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.op.op import op
from runnel.core.state.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    Queue,
    RandomShuffleQueue,
)
from runnel.core.values.dtypes import DType, int64
from runnel.core.values.errors import bad_dtype, bad_shape, bad_value
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.ops.choices import at_least
from runnel.ops.resources.lookup_tables import shared
from runnel.ops.shapes import nothing, scalar


def _check_shapes(op_name: str, types: Sequence[DType], shapes: Sequence[TensorShape]) -> None:
    if shapes and len(shapes) != len(types):
        want = f"have {len(types)} shapes, one for each component, or none"
        raise bad_value(op_name, want=want, shapes=shapes)


@op(
    "FIFOQueueV2",
    "-> handle: resource",
    shape=scalar,
    effects="queues",
    component_types=at_least(1),
)
def _fifo_queue(
    xp: Namespace,
    *,
    component_types: tuple[DType, ...],
    shapes: tuple[TensorShape, ...] = (),
    capacity: int = -1,
    container: str = "",
    shared_name: str = "",
) -> Queue:
    _check_shapes("FIFOQueueV2", component_types, shapes)
    made: Queue = shared(
        container, shared_name, lambda: FIFOQueue(capacity, component_types, shapes)
    )
    return made


@op(
    "PaddingFIFOQueueV2",
    "-> handle: resource",
    shape=scalar,
    effects="queues",
    component_types=at_least(1),
)
def _padding_fifo_queue(
    xp: Namespace,
    *,
    component_types: tuple[DType, ...],
    shapes: tuple[TensorShape, ...] = (),
    capacity: int = -1,
    container: str = "",
    shared_name: str = "",
) -> Queue:
    _check_shapes("PaddingFIFOQueueV2", component_types, shapes)
    if any(shape.rank is None for shape in shapes):
        raise bad_value("PaddingFIFOQueueV2", want="have known ranks", shapes=shapes)
    made: Queue = shared(
        container, shared_name, lambda: PaddingFIFOQueue(capacity, component_types, shapes)
    )
    return made


@op("PriorityQueueV2", "-> handle: resource", shape=scalar, effects="queues")
def _priority_queue(
    xp: Namespace,
    *,
    shapes: tuple[TensorShape, ...],
    component_types: tuple[DType, ...] = (),
    capacity: int = -1,
    container: str = "",
    shared_name: str = "",
) -> Queue:
    _check_shapes("PriorityQueueV2", component_types, shapes)
    types, all_shapes = (int64, *component_types), (TensorShape(()), *shapes)
    made: Queue = shared(container, shared_name, lambda: PriorityQueue(capacity, types, all_shapes))
    return made


@op(
    "RandomShuffleQueueV2",
    "-> handle: resource",
    shape=scalar,
    effects="queues",
    component_types=at_least(1),
)
def _random_shuffle_queue(
    xp: Namespace,
    *,
    component_types: tuple[DType, ...],
    shapes: tuple[TensorShape, ...] = (),
    capacity: int = -1,
    min_after_dequeue: int = 0,
    seed: int = 0,
    seed2: int = 0,
    container: str = "",
    shared_name: str = "",
) -> Queue:
    name = "RandomShuffleQueueV2"
    _check_shapes(name, component_types, shapes)
    if min_after_dequeue < 0 or 0 <= capacity <= min_after_dequeue:
        want = f"be less than the capacity, {capacity}, and not negative"
        raise bad_value(name, want=want, min_after_dequeue=min_after_dequeue)
    options = (capacity, component_types, shapes, min_after_dequeue, (seed, seed2))
    made: Queue = shared(container, shared_name, lambda: RandomShuffleQueue(*options))
    return made


def _check_components(
    op_name: str, queue: Queue, components: Sequence[Array], timeout_ms: int, *, batch: bool
) -> None:
    _check_timeout(op_name, timeout_ms)
    if len(components) != len(queue.dtypes):
        want = f"have {len(queue.dtypes)} components"
        raise bad_value(op_name, want=want, components=len(components))
    for place, value in enumerate(components):
        if value.dtype != queue.dtypes[place].np_dtype:
            want = f"be of dtype {queue.dtypes[place].name}"
            raise bad_dtype(op_name, want=want, components=value)
        if batch and (not value.ndim or len(value) != len(components[0])):
            raise bad_shape(op_name, want="have the same first dimension", components=value)
        shape = value.shape[1:] if batch else value.shape
        if queue.shapes and not queue.shapes[place].is_compatible_with(shape):
            want = f"have the shape {queue.shapes[place]}"
            raise bad_shape(op_name, want=want, components=value)


def _check_timeout(op_name: str, timeout_ms: int) -> None:
    if timeout_ms != -1:
        raise bad_value(op_name, want="be -1: there is no limit", timeout_ms=timeout_ms)


_PUT = "handle: resource, components: *Tcomponents ->"


@op("QueueEnqueueV2", _PUT, shape=nothing, effects="queues")
def _enqueue(
    xp: Namespace, handle: Queue, components: list[Array], *, timeout_ms: int = -1
) -> None:
    _check_components("QueueEnqueueV2", handle, components, timeout_ms, batch=False)
    handle.put([tuple(np.asarray(c) for c in components)])


@op("QueueEnqueueManyV2", _PUT, shape=nothing, effects="queues")
def _enqueue_many(
    xp: Namespace, handle: Queue, components: list[Array], *, timeout_ms: int = -1
) -> None:
    _check_components("QueueEnqueueManyV2", handle, components, timeout_ms, batch=True)
    count = len(components[0])
    handle.put([tuple(c[i, ...] for c in components) for i in range(count)])


def _component_dims(handle: Spec, types: Sequence[DType]) -> list[Dims]:
    queue = handle.handle
    if not isinstance(queue, Queue) or not queue.shapes:
        return [None] * len(types)
    return [shape._dims for shape in queue.shapes]


def _dequeued_shape(handle: Spec, *, component_types: Sequence[DType], **attrs: Any) -> Any:
    return [_component_dims(handle, component_types)]


@op(
    "QueueDequeueV2",
    "handle: resource -> components: *component_types",
    shape=_dequeued_shape,
    effects="queues",
)
def _dequeue(
    xp: Namespace, handle: Queue, *, component_types: tuple[DType, ...], timeout_ms: int = -1
) -> list[list[Array]]:
    _check_timeout("QueueDequeueV2", timeout_ms)
    _check_types("QueueDequeueV2", handle, component_types)
    return [list(handle.take(1)[0])]


def _check_types(op_name: str, queue: Queue, types: Sequence[DType]) -> None:
    if tuple(types) != queue.dtypes:
        held = [dtype.name for dtype in queue.dtypes]
        raise bad_value(op_name, want=f"be {held}, those of the queue", component_types=types)


def _many(
    op_name: str, queue: Queue, n: Array, types: Sequence[DType], timeout_ms: int, *, at_most: bool
) -> list[list[Array]]:
    _check_timeout(op_name, timeout_ms)
    _check_types(op_name, queue, types)
    if not queue.shapes:
        want = "have known shapes of components where several elements are taken"
        raise bad_value(op_name, want=want, handle=type(queue).__name__)
    count = int(n)
    if count < 0:
        raise bad_value(op_name, want="not be negative", n=count)
    elements = queue.take(count, at_most=at_most)
    return [[queue.stacked(elements, place) for place in range(len(queue.dtypes))]]


def _many_shape(
    handle: Spec, n: Spec, *, component_types: Sequence[DType], op_name: str, **attrs: Any
) -> Any:
    exact = op_name == "QueueDequeueManyV2" and n.value is not None
    count = int(n.value) if exact else None  # type: ignore[arg-type]
    dims = _component_dims(handle, component_types)
    return [[None if d is None else (count, *d) for d in dims]]


_SEVERAL = "handle: resource, n: int32 -> components: *component_types"


@op("QueueDequeueManyV2", _SEVERAL, shape=_many_shape, static=("n",), effects="queues")
def _dequeue_many(
    xp: Namespace,
    handle: Queue,
    n: Array,
    *,
    component_types: tuple[DType, ...],
    timeout_ms: int = -1,
) -> list[list[Array]]:
    name = "QueueDequeueManyV2"
    return _many(name, handle, n, component_types, timeout_ms, at_most=False)


@op("QueueDequeueUpToV2", _SEVERAL, shape=_many_shape, static=("n",), effects="queues")
def _dequeue_up_to(
    xp: Namespace,
    handle: Queue,
    n: Array,
    *,
    component_types: tuple[DType, ...],
    timeout_ms: int = -1,
) -> list[list[Array]]:
    name = "QueueDequeueUpToV2"
    return _many(name, handle, n, component_types, timeout_ms, at_most=True)


@op("QueueCloseV2", "handle: resource ->", shape=nothing, effects="queues")
def _close(xp: Namespace, handle: Queue, *, cancel_pending_enqueues: bool = False) -> None:
    handle.close(cancel=cancel_pending_enqueues)


@op("QueueSizeV2", "handle: resource -> size: int32", shape=scalar, effects="queues")
def _size(xp: Namespace, handle: Queue) -> Array:
    return np.array(len(handle), np.int32)


@op("QueueIsClosedV2", "handle: resource -> is_closed: bool", shape=scalar, effects="queues")
def _is_closed(xp: Namespace, handle: Queue) -> Array:
    return np.array(handle.is_closed)
