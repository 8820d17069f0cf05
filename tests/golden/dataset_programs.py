"""Programs with datasets whose graphs go from Runnel to TensorFlow and back.

With this module, the tables of `graph_programs` hold those of `gradient_programs` and these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.gradient_programs import INPUTS as INPUTS
from tests.golden.gradient_programs import PROGRAMS as PROGRAMS
from tests.golden.gradient_programs import trace as trace
from tests.golden.graph_programs import program


@program(np.int64(6))
def loop_over_a_dataset(tf: Any, n: Any) -> Any:
    @tf.function
    def total(count: Any) -> Any:
        found = tf.zeros([], tf.int64)
        for x in tf.data.Dataset.range(count).map(lambda x: x * count):
            found += x
        return found

    return total(n)


@program(np.int64(12))
def loop_that_is_left(tf: Any, n: Any) -> Any:
    @tf.function
    def total(count: Any) -> Any:
        found = tf.zeros([], tf.int64)
        for x in tf.data.Dataset.range(count).batch(2):
            if tf.reduce_any(x > 6):
                break
            found += tf.reduce_sum(x)
        return found

    return total(n)


@program(np.int64(4))
def loops_in_loops(tf: Any, n: Any) -> Any:
    @tf.function
    def total(count: Any) -> Any:
        found = tf.zeros([], tf.int64)
        pairs = tf.data.Dataset.zip((tf.data.Dataset.range(count), tf.data.Dataset.range(9)))
        for i, (x, y) in pairs.enumerate():
            for z in tf.data.Dataset.range(x):
                if z > 0:
                    found += i * y + z
        return found

    return total(n)


@program(np.int64(3), np.arange(4.0, dtype=np.float32))
def elements_and_sums(tf: Any, n: Any, rows: Any) -> Any:
    numbers = iter(tf.data.Dataset.range(n, 9))
    first, second = next(numbers), next(numbers)
    scaled = tf.data.Dataset.from_tensor_slices(rows).map(lambda x: x * tf.cast(n, tf.float32))
    return first, second, scaled.reduce(0.0, lambda a, b: a + b)
