"""Queues that hold inputs: strings, numbers, slices, as often as wanted, in order or shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.v1.input.queue_runner import QueueRunner, add_queue_runner
from runnel.v1.ops.scattering import count_up_to
from runnel.v1.summary import functions as summaries
from runnel.v1.variables.collections import GraphKeys
from runnel.v1.variables.variable import make_variable


def check_graph(name: str) -> None:
    """RuntimeError while ops run at once: threads fill queues of a graph."""
    if state.graph is None:
        raise RuntimeError(
            f"{name}: input queues are not supported when eager execution is enabled."
        )


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """A tensor that can be had so many times, then OutOfRangeError."""
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"limit_epochs: `num_epochs` must be > 0, got {num_epochs}.")
    with tf.name_scope(name or "limit_epochs"):
        zero = tf.constant(0, tf.int64)
        epochs = make_variable(
            zero, name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES]
        )
        counted = count_up_to(epochs, num_epochs)
        with tf.control_dependencies([counted]):
            return tf.identity(tensor)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> Any:
    """A queue of the rows of a tensor, which a queue runner fills."""
    check_graph("input_producer")
    with tf.name_scope(name or "input_producer"):
        rows = tf.convert_to_tensor(input_tensor, name="input_tensor")
        shape = rows.shape[1:].merge_with(element_shape)
        if not shape.is_fully_defined():
            raise ValueError("input_producer: the shape of the elements must be known.")
        if shuffle:
            rows = tf.random.shuffle(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = tf.queue.FIFOQueue(
            capacity, dtypes=[rows.dtype], shapes=[shape], shared_name=shared_name
        )
        fill = queue.enqueue_many([rows])
        add_queue_runner(QueueRunner(queue, [fill], cancel_op=cancel_op))
        if summary_name is not None:
            summaries.scalar(summary_name, tf.cast(queue.size(), tf.float32) * (1.0 / capacity))
        return queue


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> Any:
    """A queue of strings, such as the names of files."""
    check_graph("string_input_producer")
    if isinstance(string_tensor, (list, tuple)) and not string_tensor:
        raise ValueError("string_input_producer requires a non-null input tensor.")
    with tf.name_scope(name or "input_producer") as scope:
        strings = tf.convert_to_tensor(string_tensor, tf.string)
        message = "string_input_producer requires a non-null input tensor."
        check = tf.Assert(tf.size(strings) > 0, [message])
        with tf.control_dependencies([check]):
            strings = tf.identity(strings)
        return input_producer(
            strings,
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
            cancel_op,
        )


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """A queue of the numbers below a limit."""
    check_graph("range_input_producer")
    with tf.name_scope(name or "input_producer") as scope:
        return input_producer(
            tf.range(limit),
            [],
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            f"fraction_of_{capacity}_full",
            scope,
        )


def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Any]:
    """One row of each tensor, the same of all, by a queue of their numbers."""
    check_graph("slice_input_producer")
    with tf.name_scope(name or "input_producer"):
        tensors = [tf.convert_to_tensor(t) for t in tensor_list]
        if not tensors:
            raise ValueError("slice_input_producer: at least one tensor is needed.")
        queue = range_input_producer(
            tf.shape(tensors[0])[0], num_epochs, shuffle, seed, capacity, shared_name
        )
        place = queue.dequeue()
        return [tf.gather(rows, place) for rows in tensors]
