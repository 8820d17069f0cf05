"""Batches made by threads: `batch`, `shuffle_batch` and their like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import runnel as tf
from runnel.v1.input.producers import check_graph
from runnel.v1.input.queue_runner import QueueRunner, add_queue_runner
from runnel.v1.summary import functions as summaries


def _flat(tensors: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """The tensors of an element, and how an element is made of them again: of one, not a list."""
    if isinstance(tensors, dict):
        keys = sorted(tensors)
        return [tensors[k] for k in keys], lambda found: dict(zip(keys, found, strict=True))
    if isinstance(tensors, (list, tuple)):
        if not tensors:
            raise ValueError("batch: at least one tensor is needed.")
        return list(tensors), list if len(tensors) > 1 else lambda found: found[0]
    return [tensors], lambda found: found[0]


def _stored(value: Any, many: bool) -> tuple[Any, Callable[[Any], Any]]:
    """What a queue holds of a value, and how a batch is made of it again."""
    if not isinstance(value, tf.SparseTensor):
        return tf.convert_to_tensor(value), lambda found: found
    write = tf.io.serialize_many_sparse if many else tf.io.serialize_sparse
    rank = value.shape.rank
    rank = rank if rank is None or many else rank + 1
    return write(value), lambda found: tf.io.deserialize_many_sparse(found, value.dtype, rank)


def _shapes(flat: list[Any], shapes: Any, enqueue_many: bool, dynamic: bool) -> list[Any]:
    if shapes is None:
        found = [x.shape[1:] if enqueue_many else x.shape for x in flat]
    else:
        found = [tf.TensorShape(s) for s in shapes]
    if not dynamic and not all(s.is_fully_defined() for s in found):
        raise ValueError(f"All shapes must be fully defined: {[s.as_list() for s in found]}")
    return found


def _batched(
    what: str,
    tensors_list: Sequence[Any],
    keep_input: Any,
    batch_size: Any,
    threads: int,
    enqueue_many: bool,
    shapes: Any,
    smaller: bool,
    name: str | None,
    capacity: int,
    make: Callable[[list[Any], list[Any]], Any],
    dynamic_pad: bool = False,
) -> Any:
    """A queue of elements, threads that fill it, and batches taken from it."""
    check_graph(what)
    with tf.name_scope(name or what):
        flats = []
        for tensors in tensors_list:
            flat, rebuilt = _flat(tensors)
            pairs = [_stored(value, enqueue_many) for value in flat]
            flats.append([stored for stored, _ in pairs])
        dtypes = [x.dtype for x in flats[0]]
        if any([x.dtype for x in flat] != dtypes for flat in flats):
            raise TypeError(f"{what}: elements of the list have different dtypes.")
        sizes = _shapes(flats[0], shapes, enqueue_many, dynamic_pad)
        queue = make(dtypes, sizes)
        fills = [_fill(queue, flat, keep_input, enqueue_many) for flat in flats]
        fills = fills * threads if len(fills) == 1 else fills
        add_queue_runner(QueueRunner(queue, fills))
        full = tf.cast(queue.size(), tf.float32) * (1.0 / capacity)
        summaries.scalar(f"fraction_of_{capacity}_full", full)
        taken = queue.dequeue_up_to(batch_size) if smaller else queue.dequeue_many(batch_size)
        found = list(taken) if isinstance(taken, (list, tuple)) else [taken]
        return rebuilt([read(part) for (_, read), part in zip(pairs, found, strict=True)])


def _fill(queue: Any, flat: list[Any], keep_input: Any, enqueue_many: bool) -> Any:
    known = tf.get_static_value(keep_input) if isinstance(keep_input, tf.Tensor) else keep_input
    always = known is not None and bool(np.all(known))
    if enqueue_many:
        if not always:
            keep = tf.convert_to_tensor(keep_input)
            if keep.shape.rank == 1:
                flat = [tf.boolean_mask(x, keep) for x in flat]
            else:
                flat = [x[: tf.cast(keep, tf.int32) * tf.shape(x)[0]] for x in flat]
        return queue.enqueue_many(flat)
    if always:
        return queue.enqueue(flat)
    return tf.cond(
        tf.convert_to_tensor(keep_input), lambda: tf.group(queue.enqueue(flat)), lambda: tf.no_op()
    )


def _fifo(capacity: int, dynamic_pad: bool, shared_name: str | None) -> Callable[..., Any]:
    def make(dtypes: list[Any], shapes: list[Any]) -> Any:
        kind = tf.queue.PaddingFIFOQueue if dynamic_pad else tf.queue.FIFOQueue
        return kind(capacity=capacity, dtypes=dtypes, shapes=shapes, shared_name=shared_name)

    return make


def _shuffled(capacity: int, least: int, seed: int | None, shared_name: Any) -> Callable[..., Any]:
    def make(dtypes: list[Any], shapes: list[Any]) -> Any:
        return tf.queue.RandomShuffleQueue(
            capacity=capacity,
            min_after_dequeue=least,
            seed=seed,
            dtypes=dtypes,
            shapes=shapes,
            shared_name=shared_name,
        )

    return make


def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of elements, which threads put into a queue.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     row = tf.compat.v1.train.slice_input_producer([[1, 2, 3, 4]], shuffle=False)
    ...     two = tf.compat.v1.train.batch(row, 2)
    ...     coord = tf.train.Coordinator()
    ...     threads = tf.compat.v1.train.start_queue_runners(coord=coord)
    ...     session.run(two)
    ...     coord.request_stop()
    ...     coord.join(threads)
    array([1, 2], dtype=int32)
    """
    given = enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch
    return maybe_batch(tensors, True, batch_size, num_threads, capacity, *given, shared_name, name)


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of those elements that are to be kept."""
    return _batched(
        "batch",
        [tensors],
        keep_input,
        batch_size,
        num_threads,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
        capacity,
        _fifo(capacity, dynamic_pad, shared_name),
        dynamic_pad,
    )


def batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of elements of several sources, with a thread for each."""
    given = enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch
    return maybe_batch_join(tensors_list, True, batch_size, capacity, *given, shared_name, name)


def maybe_batch_join(
    tensors_list: Sequence[Any],
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of those elements of several sources that are to be kept."""
    return _batched(
        "batch_join",
        tensors_list,
        keep_input,
        batch_size,
        1,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
        capacity,
        _fifo(capacity, dynamic_pad, shared_name),
        dynamic_pad,
    )


def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of elements that are drawn at random from a queue."""
    given = num_threads, seed, enqueue_many, shapes, allow_smaller_final_batch, shared_name
    return maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, True, *given, name)


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches, drawn at random, of those elements that are to be kept."""
    return _batched(
        "shuffle_batch",
        [tensors],
        keep_input,
        batch_size,
        num_threads,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
        capacity,
        _shuffled(capacity, min_after_dequeue, seed, shared_name),
    )


def shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches, drawn at random, of elements of several sources."""
    given = min_after_dequeue, True, seed, enqueue_many, shapes, allow_smaller_final_batch
    return maybe_shuffle_batch_join(tensors_list, batch_size, capacity, *given, shared_name, name)


def maybe_shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches, drawn at random, of those elements of several sources that are to be kept."""
    return _batched(
        "shuffle_batch_join",
        tensors_list,
        keep_input,
        batch_size,
        1,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        name,
        capacity,
        _shuffled(capacity, min_after_dequeue, seed, shared_name),
    )
