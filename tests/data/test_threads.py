"""Threads overlap work, and end with their iterator."""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

import pytest

import runnel as tf
from runnel.data.nodes.node import Run

Dataset = tf.data.Dataset
LONG = 60.0  # seconds that a test waits before it says that something never happens


class _Together:
    """Elements that are made only when `size` of them are being made at once."""

    def __init__(self, size: int) -> None:
        self.barrier = threading.Barrier(size)

    def number(self, x: Any) -> Any:
        def meet(y: Any) -> Any:
            self.barrier.wait(LONG)
            return y

        return tf.numpy_function(meet, [x], tf.int64)


class _Count:
    """Counts how many elements are being made at the same time, and how many have been."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now = self.most = self.made = 0
        self.enough = threading.Event()

    def number(self, x: Any) -> Any:
        def work(y: Any) -> Any:
            with self.lock:
                self.now += 1
                self.most = max(self.most, self.now)
            time.sleep(0.005)
            with self.lock:
                self.now -= 1
                self.made += 1
                if self.made >= 2:
                    self.enough.set()
            return y

        return tf.numpy_function(work, [x], tf.int64)


def _slow(x: Any) -> Any:
    return _Count().number(x)


def test_parallel_calls_overlap() -> None:
    alone = _Count()
    assert len(list(Dataset.range(12).map(alone.number))) == 12
    assert alone.most == 1
    parallel = Dataset.range(12).map(_Together(4).number, num_parallel_calls=4)
    assert [int(x) for x in parallel] == list(range(12))


def test_prefetching_overlaps_input_with_work() -> None:
    alone, ahead = _Count(), _Count()
    for used, _ in enumerate(Dataset.range(12).map(alone.number)):
        assert alone.made == used + 1
    iterator = iter(Dataset.range(12).map(ahead.number).prefetch(2))
    assert int(next(iterator)) == 0
    assert ahead.enough.wait(LONG)  # the second is made though nobody has asked for it
    assert [int(x) for x in iterator] == list(range(1, 12))


def test_parallel_interleaving_overlaps() -> None:
    def pairs(number: Any, **options: Any) -> list[int]:
        def pair(x: Any) -> Any:
            return Dataset.from_tensors(x).repeat(2).map(number)

        return [int(x) for x in Dataset.range(6).interleave(pair, cycle_length=6, **options)]

    alone = _Count()
    assert pairs(alone.number) == pairs(_Together(6).number, num_parallel_calls=6)
    assert alone.most == 1


class _Held:
    """Elements of which number 0 is held back until enough others have been seen."""

    def __init__(self, others: int) -> None:
        self.others = others
        self.released = threading.Event()

    def number(self, x: Any) -> Any:
        def wait(y: Any) -> Any:
            if y == 0:
                self.released.wait(LONG)
            return y

        return tf.numpy_function(wait, [x], tf.int64)

    def seen(self, dataset: Any) -> list[int]:
        found = []
        for x in dataset:
            found.append(int(x))
            if len(found) == self.others:
                self.released.set()
        return found


def test_order_is_kept_unless_it_need_not_be() -> None:
    dataset = Dataset.range(12)
    at_once = _Held(0)
    at_once.released.set()
    assert at_once.seen(dataset.map(at_once.number, num_parallel_calls=4)) == list(range(12))
    held = _Held(1)
    free = held.seen(dataset.map(held.number, num_parallel_calls=4, deterministic=False))
    assert sorted(free) == list(range(12))
    assert free[0] != 0
    options = tf.data.Options()
    options.deterministic = False
    held = _Held(1)
    loose = held.seen(dataset.map(held.number, num_parallel_calls=4).with_options(options))
    assert loose[0] != 0


def test_interleaving_need_not_wait_for_a_slow_dataset() -> None:
    def numbers(held: _Held) -> Any:
        return lambda x: Dataset.from_tensors(x).repeat(3).map(held.number)

    dataset = Dataset.range(3)
    held = _Held(6)
    free = dataset.interleave(numbers(held), 3, num_parallel_calls=3, deterministic=False)
    assert sorted(found := held.seen(free)) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert found[-3:] == [0, 0, 0]
    held.released.set()
    kept = dataset.interleave(numbers(held), 3, num_parallel_calls=3)
    assert held.seen(kept) == [0, 1, 2] * 3


@pytest.mark.parametrize(
    "dataset",
    [
        Dataset.range(10**9).prefetch(4),
        Dataset.range(10**9).map(_slow, num_parallel_calls=4),
        Dataset.range(10**9).prefetch(2).prefetch(2),
        Dataset.range(10**9).interleave(
            lambda x: Dataset.range(10**9), cycle_length=3, num_parallel_calls=3
        ),
    ],
    ids=["prefetch", "map", "two prefetches", "interleave"],
)
def test_dropping_an_iterator_half_way_ends_its_threads(dataset: Any) -> None:
    before = set(threading.enumerate())
    iterator = iter(dataset)
    for _ in range(5):
        next(iterator)
    assert set(threading.enumerate()) - before
    del iterator
    gc.collect()
    deadline = time.monotonic() + LONG
    while set(threading.enumerate()) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not set(threading.enumerate()) - before


def test_an_error_in_a_thread_reaches_the_consumer_at_its_place() -> None:
    def fail(x: Any) -> Any:
        if x == 3:
            raise ValueError("three")
        return x

    dataset = Dataset.range(6).map(lambda x: tf.numpy_function(fail, [x], tf.int64))
    for parallel in (dataset.prefetch(2), dataset.map(lambda x: x, num_parallel_calls=2)):
        iterator = iter(parallel)
        assert [int(next(iterator)) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="three"):
            next(iterator)
        assert int(next(iterator)) == 4


def _with(options: tf.data.Options, dataset: Any) -> Any:
    return dataset.with_options(options)


def test_the_pool_of_threads_may_be_limited() -> None:
    options = tf.data.Options()
    options.threading.private_threadpool_size = 1
    count = _Count()
    limited = _with(options, Dataset.range(8).map(count.number, num_parallel_calls=4))
    assert [int(x) for x in limited] == list(range(8))
    assert count.most == 1
    budget = tf.data.Options()
    budget.autotune.cpu_budget = 7
    assert Run(budget).workers(tf.data.AUTOTUNE) == 7
    assert Run(budget).workers(3) == 3


def test_a_warm_start_makes_elements_before_the_first_is_wanted() -> None:
    made = threading.Event()

    def note(x: Any) -> Any:
        made.set()
        return x

    options = tf.data.Options()
    options.experimental_warm_start = True
    dataset = Dataset.range(3).map(lambda x: tf.numpy_function(note, [x], tf.int64)).prefetch(1)
    iterator = iter(_with(options, dataset))
    assert made.wait(LONG)
    assert int(next(iterator)) == 0


def test_saving_may_complain_of_state_outside_the_iterator() -> None:
    options = tf.data.Options()
    policy = tf.data.experimental.ExternalStatePolicy
    options.experimental_external_state_policy = policy.FAIL
    random = Dataset.range(3).map(lambda x: tf.random.uniform([]))
    with pytest.raises(tf.errors.FailedPreconditionError, match="is not saved"):
        _with(options, random).as_numpy_iterator().save()
    assert _with(options, Dataset.range(3).map(lambda x: x)).as_numpy_iterator().save()
