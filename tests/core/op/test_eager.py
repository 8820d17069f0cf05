"""Running ops at once: what a long program leaves behind, and what threads do to each other."""

import gc
import sys
import threading

import numpy as np
import pytest

import runnel as tf
from runnel.core.op import observing


def grown(work) -> int:
    """How many more objects there are, once warm, when `work` is done."""
    work(1_000)
    gc.collect()
    start = sys.getallocatedblocks()
    work(100_000)
    gc.collect()
    return sys.getallocatedblocks() - start


def test_100_000_ops_leave_the_memory_where_it_was():
    v = tf.Variable(np.ones(8, np.float32))

    def work(count):
        x = tf.constant(np.ones(8, np.float32))
        for i in range(count // 5):
            y = tf.reshape(x * 0.5 + v, [2, 4])
            x = tf.reshape(tf.concat([y[:1], y[1:]], 0), [8])
            v.assign_add(x * 0.0)
            assert i < count

    assert grown(work) < 500


def test_threads_that_add_to_a_variable_lose_nothing():
    v, rows = tf.Variable(0), tf.Variable(tf.zeros([4], tf.int32))
    add = tf.function(lambda: v.assign_add(1))

    def work(place):
        for _ in range(500):
            v.assign_add(1)
            add()
            rows.scatter_nd_add([[place]], [1])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert v.numpy() == 4_000
    assert rows.numpy().tolist() == [500] * 4


def test_threads_compute_each_for_itself():
    answers = {}

    def work(seed):
        x = tf.constant(np.random.default_rng(seed).normal(size=(8, 8)).astype(np.float32))
        total = tf.zeros([])
        with tf.device("CPU:0"), tf.name_scope(f"thread{seed}"):
            for _ in range(200):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = tf.reduce_sum(tf.tanh(x @ x))
                total += tf.reduce_sum(tape.gradient(y, x))
        answers.setdefault(seed, []).append(float(total))

    threads = [threading.Thread(target=work, args=(i % 2,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(len(set(found)) == 1 for found in answers.values()) and len(answers) == 2


def test_concat_and_stack_of_tensors_are_told_to_tapes_and_watchers() -> None:
    x, y = tf.constant([1.0]), tf.constant([2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tf.reduce_sum(tf.concat([x * 2.0, y], 0) * tf.stack([x, y])[:, 0])
    assert tape.gradient(total, x).numpy().tolist() == [4.0]
    seen = []

    class Noting(observing.Observer):
        def before(self, op, inputs):
            return len(inputs)

        def ran(self, op, inputs, outputs, noted):
            seen.append((op.name, noted, len(outputs)))

    noting = Noting()
    observing.observe(noting)
    try:
        tf.concat([x, y], 0)
        tf.stack([x, y])
    finally:
        observing.ignore(noting)
    assert seen == [("ConcatV2", 3, 1), ("Pack", 2, 1)]


def test_lists_of_tensors_that_do_not_fit_are_explained() -> None:
    x, y = tf.ones([2, 3]), tf.ones([2, 2])
    assert tf.concat([x, x], 0).shape == [4, 3]
    for bad in ([x, y], [x, tf.cast(x, tf.float64)], [x, tf.ones([2])]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="ConcatV2"):
            tf.concat(bad, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis"):
        tf.concat([x, x], 2)
