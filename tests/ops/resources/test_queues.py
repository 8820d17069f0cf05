"""Queues between threads and in functions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf


def numbers(capacity: int = 10, kind: Any = None) -> Any:
    return (kind or tf.queue.FIFOQueue)(capacity, tf.int32, shapes=())


class Later(threading.Thread):
    """Runs a function in another thread and keeps what came of it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.work, self.result, self.error = work, None, None
        self.start()
        self.join(0.1)

    def run(self) -> None:
        try:
            self.result = self.work()
        except Exception as error:
            self.error = error

    def outcome(self) -> Any:
        self.join(10)
        assert not self.is_alive(), "it still waits"
        if self.error is not None:
            raise self.error
        return self.result


@settings(max_examples=50, deadline=None)
@given(values=st.lists(st.integers(-9, 9)), size=st.integers(1, 4))
def test_what_goes_in_comes_out_in_order(values: list[int], size: int) -> None:
    queue = numbers(-1)
    queue.enqueue_many([tf.constant(values, tf.int32)])
    queue.close()
    found: list[int] = []
    with pytest.raises(tf.errors.OutOfRangeError):
        while True:
            found += queue.dequeue_up_to(size).numpy().tolist()
    assert found == values


@settings(max_examples=50, deadline=None)
@given(values=st.lists(st.integers(-9, 9), min_size=1))
def test_a_priority_queue_sorts_and_keeps_the_order_of_equals(values: list[int]) -> None:
    queue = tf.queue.PriorityQueue(-1, tf.int32, shapes=())
    queue.enqueue_many((values, list(range(len(values)))))
    keys, places = queue.dequeue_many(len(values))
    wanted = sorted(zip(values, range(len(values)), strict=True))
    assert list(zip(keys.numpy().tolist(), places.numpy().tolist(), strict=True)) == wanted


def test_one_who_takes_waits_for_one_who_gives() -> None:
    queue = numbers()
    taker = Later(lambda: queue.dequeue_many(2).numpy().tolist())
    assert taker.is_alive()
    queue.enqueue(1)
    queue.enqueue(2)
    assert taker.outcome() == [1, 2]


def test_one_who_gives_waits_for_room() -> None:
    queue = numbers(capacity=1)
    queue.enqueue(1)
    giver = Later(lambda: queue.enqueue_many([[2, 3]]))
    assert giver.is_alive()
    assert [int(queue.dequeue()) for _ in range(3)] == [1, 2, 3]
    giver.outcome()


def test_more_than_the_capacity_can_be_taken_at_once() -> None:
    queue = numbers(capacity=2)
    taker = Later(lambda: queue.dequeue_many(5).numpy().tolist())
    queue.enqueue_many([[1, 2, 3, 4, 5]])
    assert taker.outcome() == [1, 2, 3, 4, 5]


def test_closing_ends_the_waiting_and_loses_no_element() -> None:
    queue = numbers()
    taker = Later(lambda: queue.dequeue_many(3))
    queue.enqueue(7)
    time.sleep(0.05)
    queue.close()
    with pytest.raises(tf.errors.OutOfRangeError, match="insufficient elements"):
        taker.outcome()
    assert int(queue.dequeue()) == 7


def test_closing_with_cancelling_ends_the_waiting_of_givers() -> None:
    queue = numbers(capacity=1)
    queue.enqueue(1)
    giver = Later(lambda: queue.enqueue(2))
    queue.close(cancel_pending_enqueues=True)
    with pytest.raises(tf.errors.CancelledError):
        giver.outcome()
    assert int(queue.dequeue()) == 1
    with pytest.raises(tf.errors.CancelledError):
        queue.enqueue(3)


def test_closing_waits_for_those_who_wait_for_room() -> None:
    queue = numbers(capacity=1)
    queue.enqueue(1)
    giver = Later(lambda: queue.enqueue(2))
    closer = Later(queue.close)
    assert not bool(queue.is_closed())
    assert [int(queue.dequeue()) for _ in range(2)] == [1, 2]
    giver.outcome()
    closer.outcome()
    assert bool(queue.is_closed())


def test_several_threads_share_the_work() -> None:
    queue = numbers(capacity=3)
    found: list[int] = []

    def take() -> None:
        while True:
            try:
                found.append(int(queue.dequeue()))
            except tf.errors.OutOfRangeError:
                return

    takers = [Later(take) for _ in range(3)]
    givers = [Later(lambda: queue.enqueue_many([list(range(50))])) for _ in range(2)]
    for giver in givers:
        giver.outcome()
    queue.close()
    for taker in takers:
        taker.outcome()
    assert sorted(found) == sorted([*range(50), *range(50)])


def test_a_shuffle_queue_keeps_some_elements_until_it_is_closed() -> None:
    queue = tf.queue.RandomShuffleQueue(20, 3, tf.int32, shapes=(), seed=1)
    queue.enqueue_many([list(range(10))])
    first = queue.dequeue_many(7).numpy().tolist()
    taker = Later(lambda: queue.dequeue_many(3).numpy().tolist())
    assert taker.is_alive()
    queue.close()
    assert sorted(first + taker.outcome()) == list(range(10))
    assert first != sorted(first)


def test_a_traced_function_fills_and_empties_a_queue_in_program_order() -> None:
    queue = numbers()

    @tf.function
    def step(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        queue.enqueue(x)
        queue.enqueue(x + 1)
        return queue.dequeue(), queue.size()

    assert [int(t) for t in step(tf.constant(4))] == [4, 1]
    assert [int(t) for t in step(tf.constant(8))] == [5, 2]


def test_functions_in_two_threads_hand_elements_over() -> None:
    queue = tf.queue.FIFOQueue(2, [tf.float32, tf.string], shapes=[[2], []])

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def give(x: tf.Tensor) -> None:
        queue.enqueue((tf.stack([x, x * 2.0]), tf.strings.as_string(x, precision=0)))

    @tf.function
    def take() -> tuple[tf.Tensor, tf.Tensor]:
        values, texts = queue.dequeue_many(4)
        return tf.reduce_sum(values), tf.strings.reduce_join(texts, separator=",")

    taker = Later(take)
    for i in range(4):
        give(float(i))
    total, text = taker.outcome()
    assert (float(total), text.numpy()) == (18.0, b"0,1,2,3")


def test_names_make_elements_dictionaries() -> None:
    queue = tf.queue.FIFOQueue(5, [tf.int32, tf.string], names=["n", "s"], shapes=[[], []])
    queue.enqueue({"s": "a", "n": 1})
    found = queue.dequeue()
    assert {key: value.numpy() for key, value in found.items()} == {"n": 1, "s": b"a"}


def test_one_of_a_list_of_queues_can_be_chosen() -> None:
    first, second = numbers(), numbers()
    second.enqueue(5)
    assert int(tf.queue.QueueBase.from_list(1, [first, second]).dequeue()) == 5
    with pytest.raises(TypeError, match="dtypes"):
        tf.queue.QueueBase.from_list(0, [first, tf.queue.FIFOQueue(1, tf.float32)])


def test_a_queue_is_chosen_when_the_graph_runs() -> None:
    queues = [tf.queue.FIFOQueue(50, tf.float32, shapes=[()]) for _ in range(3)]

    @tf.function
    def put(place, x):
        y = tf.reduce_sum(tf.tanh(x @ x))
        for _ in range(5):
            y = tf.sin(y) + tf.cos(y) * 2.0
        chosen = tf.queue.QueueBase.from_list(place, queues)
        chosen.enqueue(y)
        return chosen.size()

    sizes = [put(tf.constant(place), tf.ones([30, 30])).numpy() for place in (0, 1, 1, 2, 1)]
    assert sizes == [1, 1, 2, 1, 3]
    assert [queue.size().numpy() for queue in queues] == [1, 3, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[0, 3\)"):
        put(tf.constant(3), tf.ones([30, 30]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.queue.QueueBase.from_list(-1, queues)
