"""`tf.nondifferentiable_batch_function`."""

from __future__ import annotations

import threading

import pytest

import runnel as tf


def _doubling(sizes: list[list[int]], **options: object) -> object:
    @tf.nondifferentiable_batch_function(1, 4, 2_000_000, autograph=False, **options)
    def double(x):
        tf.py_function(lambda n: sizes.append(n.numpy().tolist()), [tf.shape(x)], [])
        return {"twice": x * 2.0}

    return double


def test_threads_that_call_at_once_share_a_call() -> None:
    sizes: list[list[int]] = []
    double = _doubling(sizes)
    found = {}

    def call(i: int) -> None:
        found[i] = double(tf.constant([float(i)]))["twice"].numpy().tolist()

    threads = [threading.Thread(target=call, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: [2.0 * i] for i in range(4)}
    assert sizes == [[4]]  # nobody waited for the time to run out


def test_a_batch_is_filled_up_to_an_allowed_size() -> None:
    sizes: list[list[int]] = []
    double = _doubling(sizes, allowed_batch_sizes=[4])
    assert double(tf.ones([4]))["twice"].shape == [4]
    small = tf.nondifferentiable_batch_function(1, 4, 10, [3, 4], autograph=False)
    assert small(lambda x: tf.reduce_sum(x) + x * 0.0)(tf.ones([2])).numpy().tolist() == [3.0, 3.0]
    assert sizes == [[4]]


def test_a_batched_call_in_a_graph_joins_in_when_it_runs() -> None:
    batch = tf.nondifferentiable_batch_function(1, 4, 10, autograph=False)
    double = batch(lambda x: x * 2.0)
    outer = tf.function(lambda x: double(x) + 1.0)
    assert outer(tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 5.0]
    assert outer.get_concrete_function(tf.TensorSpec([None])).structured_outputs.shape.rank == 1


def test_what_cannot_be_joined_is_refused() -> None:
    batch = tf.nondifferentiable_batch_function(1, 4, 10, autograph=False)
    add = batch(lambda x, y: x + y)
    for x, y in ((tf.ones([5]), tf.ones([5])), (tf.ones([]), tf.ones([])), ([2], [1])):
        with pytest.raises((tf.errors.InvalidArgumentError, AttributeError)):
            add(x, y)
    with pytest.raises(tf.errors.InvalidArgumentError, match="same first dimension"):
        add(tf.ones([2]), tf.ones([1]))
    with pytest.raises(tf.errors.FailedPreconditionError, match="rows"):
        batch(tf.reduce_sum)(tf.ones([2]))
    unordered = tf.nondifferentiable_batch_function(1, 4, 10, [4, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="increase"):
        unordered(lambda x: x)(tf.ones([2]))
