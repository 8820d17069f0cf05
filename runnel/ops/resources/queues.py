"""Queues of tensors, which threads and functions fill and empty: `tf.queue`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.op import context
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import DType, as_dtype, int32, int64
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.random.seeds import seed_attrs
from runnel.ops.resources import queue_ops  # noqa: F401 (the ops that the methods call)


class QueueBase:
    """What all queues have. An element is a tuple of tensors, or a dict of them if there are names.

    `dequeue` waits until there is an element, `enqueue` until there is room.
    """

    def __init__(
        self,
        dtypes: Sequence[DTypeLike],
        shapes: Sequence[Any] | None,
        names: Sequence[str] | None,
        queue_ref: Tensor,
    ) -> None:
        self._dtypes = [as_dtype(dtype) for dtype in dtypes]
        self._shapes = (
            [TensorShape(None)] * len(self._dtypes)
            if shapes is None
            else [TensorShape(shape) for shape in shapes]
        )
        if len(self._shapes) != len(self._dtypes):
            raise ValueError(
                "Queue shapes must have the same length as dtypes, received "
                f"len(shapes)={len(self._shapes)}, len(dtypes)={len(self._dtypes)}"
            )
        if names is not None and len(names) != len(self._dtypes):
            raise ValueError(
                "List of names must have the same length as the list of dtypes, received "
                f"len(names)={len(names)},len(dtypes)={len(self._dtypes)}"
            )
        self._names = None if names is None else list(names)
        self._queue_ref = queue_ref
        self._name = "queue"

    @staticmethod
    def from_list(index: TensorLike, queues: Sequence[QueueBase]) -> QueueBase:
        """The queue at a place of a list, as one of no particular kind."""
        if not queues or not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(queue.dtypes != first.dtypes for queue in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != first.names for queue in queues):
            raise TypeError("Queues do not have matching component names.")
        shapes = [_common(parts) for parts in zip(*[q.shapes for q in queues], strict=True)]
        place = convert_to_tensor(index)
        handles = raw_ops.Pack([queue.queue_ref for queue in queues])
        chosen = raw_ops.GatherV2(handles, place, np.int32(0))
        return QueueBase(first.dtypes, shapes, first.names, chosen)

    @property
    def queue_ref(self) -> Tensor:
        """The tensor that stands for the queue."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._name

    @property
    def dtypes(self) -> list[DType]:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components, as far as they are known."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, if they have some."""
        return self._names

    def _components(self, vals: Any) -> list[Tensor]:
        """The components of an element, or of several, as tensors."""
        if isinstance(vals, dict):
            if self._names is None:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"{sorted(vals)},Queue: {sorted(self._names)}"
                )
            vals = [vals[name] for name in self._names]
        elif self._names is not None:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        elif not isinstance(vals, list | tuple):
            vals = [vals]
        return [
            convert_to_tensor(value, dtype=dtype)
            for value, dtype in zip(vals, self._dtypes, strict=False)
        ]

    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        """Add one element, when there is room."""
        components = self._components(vals)
        for value, shape in zip(components, self._shapes, strict=False):
            value.shape.assert_is_compatible_with(shape)
        return raw_ops.QueueEnqueueV2(self._queue_ref, components, name=name)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Any:
        """Add the elements along the first axis of the components, one after another."""
        components = self._components(vals)
        batch = TensorShape([None])
        for value, shape in zip(components, self._shapes, strict=False):
            batch = batch.merge_with(value.shape.with_rank_at_least(1)[:1])
            value.shape[1:].assert_is_compatible_with(shape)
        return raw_ops.QueueEnqueueManyV2(self._queue_ref, components, name=name)

    def _element(self, components: list[Tensor], *batch: int | None) -> Any:
        if context.state.graph is not None:
            for value, shape in zip(components, self._shapes, strict=True):
                value.set_shape(TensorShape(batch).concatenate(shape))
        if self._names is not None:
            return dict(zip(self._names, components, strict=True))
        return components[0] if len(components) == 1 else components

    def dequeue(self, name: str | None = None) -> Any:
        """Take one element out, when there is one; OutOfRangeError if none can come."""
        found = raw_ops.QueueDequeueV2(
            self._queue_ref, component_types=tuple(self._dtypes), name=name
        )
        return self._element(found)

    def dequeue_many(self, n: TensorLike, name: str | None = None) -> Any:
        """Take `n` elements out and stack them; OutOfRangeError if so many cannot come."""
        known = constant_value(n) if isinstance(n, Tensor) else n
        found = raw_ops.QueueDequeueManyV2(
            self._queue_ref,
            convert_to_tensor(n, dtype=int32),
            component_types=tuple(self._dtypes),
            name=name,
        )
        return self._element(found, None if known is None else int(known))

    def dequeue_up_to(self, n: TensorLike, name: str | None = None) -> Any:
        """Take `n` elements out and stack them; fewer if the queue is closed and has no more."""
        found = raw_ops.QueueDequeueUpToV2(
            self._queue_ref,
            convert_to_tensor(n, dtype=int32),
            component_types=tuple(self._dtypes),
            name=name,
        )
        return self._element(found, None)

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Take no more elements. What waits for room goes in first, or is cancelled."""
        return raw_ops.QueueCloseV2(
            self._queue_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name
        )

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether the queue takes no more elements."""
        return raw_ops.QueueIsClosedV2(self._queue_ref, name=name)  # type: ignore[no-any-return]

    def size(self, name: str | None = None) -> Tensor:
        """How many elements are in the queue."""
        return raw_ops.QueueSizeV2(self._queue_ref, name=name)  # type: ignore[no-any-return]


def _common(shapes: Sequence[TensorShape]) -> TensorShape:
    """The shape that all have, unknown if they differ."""
    same = all(shape.is_fully_defined() and shape == shapes[0] for shape in shapes)
    return shapes[0] if same else TensorShape(None)


def _types(dtypes: Any) -> tuple[DType, ...]:
    given = dtypes if isinstance(dtypes, list | tuple) else [dtypes]
    return tuple(as_dtype(dtype) for dtype in given)


def _shapes(shapes: Any, count: int, *, partial: bool = False) -> list[TensorShape] | None:
    """Shapes in any of the forms that queues take; None if nothing is known."""
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, list | tuple):
        raise TypeError(f"shapes must be a TensorShape or a list or tuple of them, got {shapes!r}.")
    if all(shape is None or isinstance(shape, int) for shape in shapes) and (
        count == 1 or not shapes
    ):
        if partial:
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        shapes = [shapes]  # one shape alone
    found = [TensorShape(shape) for shape in shapes]
    if not partial and not all(shape.is_fully_defined() for shape in found):
        raise ValueError(f"All shapes must be fully defined: {found}")
    return found


def _made(op_name: str, name: str, shared_name: str | None, **attrs: Any) -> Tensor:
    """The handle of a new queue. Only graphs share queues by name."""
    shared = "" if context.state.graph is None else shared_name or ""
    handle: Tensor = getattr(raw_ops, op_name)(shared_name=shared, name=name, **attrs)
    return handle


class FIFOQueue(QueueBase):
    """A queue whose elements go in the order in which they came.

    >>> queue = tf.queue.FIFOQueue(10, [tf.int32, tf.string], shapes=[[], []])
    >>> queue.enqueue((1, "a"))
    >>> queue.enqueue_many(([2, 3], ["b", "c"]))
    >>> [t.numpy() for t in queue.dequeue()]
    [np.int32(1), b'a']
    >>> queue.dequeue_many(2)[0].numpy()
    array([2, 3], dtype=int32)
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        types = _types(dtypes)
        known = _shapes(shapes, len(types))
        names = _names(names, types)
        handle = _made(
            *("FIFOQueueV2", name, shared_name),
            component_types=types,
            shapes=tuple(known or ()),
            capacity=capacity,
        )
        super().__init__(types, known, names, handle)
        self._name = name


def _names(names: Any, types: Sequence[DType]) -> list[str] | None:
    if names is None or isinstance(names, list | tuple):
        return None if names is None else [str(name) for name in names]
    return [str(names)]


class PaddingFIFOQueue(QueueBase):
    """A FIFO queue of elements that differ in size: several that are taken at once are padded.

    >>> queue = tf.queue.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
    >>> queue.enqueue([[1]])
    >>> queue.enqueue([[2, 3]])
    >>> queue.dequeue_many(2).numpy()
    array([[1, 0],
           [2, 3]], dtype=int32)
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        types = _types(dtypes)
        known = _shapes(shapes, len(types), partial=True)
        if known is None:
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        if len(known) != len(types):
            raise ValueError(
                "Shapes must be provided for all components, but received "
                f"{len(types)} dtypes and {len(known)} shapes."
            )
        names = _names(names, types)
        handle = _made(
            *("PaddingFIFOQueueV2", name, shared_name),
            component_types=types,
            shapes=tuple(known),
            capacity=capacity,
        )
        super().__init__(types, known, names, handle)
        self._name = name


class PriorityQueue(QueueBase):
    """A queue whose elements begin with an int64; the least of these goes first.

    >>> queue = tf.queue.PriorityQueue(10, [tf.string], shapes=[[]])
    >>> queue.enqueue_many(([5, 1], ["late", "soon"]))
    >>> queue.dequeue()[1].numpy()
    b'soon'
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        kinds = _types(types)
        known = _shapes(shapes, len(kinds))
        if known is None:
            raise TypeError("tf.queue.PriorityQueue needs the `shapes` of its components.")
        handle = _made(
            *("PriorityQueueV2", name, shared_name),
            component_types=kinds,
            shapes=tuple(known),
            capacity=capacity,
        )
        super().__init__((int64, *kinds), [TensorShape(()), *known], _names(names, kinds), handle)
        self._name = name


class RandomShuffleQueue(QueueBase):
    """A queue from which any element may come next.

    While it is open, at least `min_after_dequeue` elements stay behind, so that there is something
    to choose from.

    >>> queue = tf.queue.RandomShuffleQueue(10, 0, tf.int32, shapes=(), seed=1)
    >>> queue.enqueue_many([[1, 2, 3]])
    >>> sorted(queue.dequeue_many(3).numpy().tolist())
    [1, 2, 3]
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        types = _types(dtypes)
        known = _shapes(shapes, len(types))
        names = _names(names, types)
        handle = _made(
            *("RandomShuffleQueueV2", name, shared_name),
            component_types=types,
            shapes=tuple(known or ()),
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            **seed_attrs(seed),
        )
        super().__init__(types, known, names, handle)
        self._name = name
