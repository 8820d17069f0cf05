"""Ragged tensors: reductions, conversions, joining, indexing."""

from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.jobs import Call, benchmark

ROWS = 100_000


def ragged(tf: ModuleType, rows: int) -> Any:
    """Rows of 0 to 19 numbers."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 20, rows)
    values = rng.random(int(lengths.sum())).astype(np.float32)
    return tf.RaggedTensor.from_row_lengths(tf.constant(values), tf.constant(lengths))


def job(title: str, prepare: Any, rows: int = ROWS) -> None:
    """A job on `rows` rows: `prepare(tf, x)` gives the tensor to read."""

    @benchmark(title)
    def start(tf: ModuleType) -> Call:
        x = ragged(tf, rows)
        return lambda: prepare(tf, x)


job("100k rows: sum of each", lambda tf, x: tf.reduce_sum(x, axis=1))
job("100k rows: largest of each", lambda tf, x: tf.reduce_max(x, axis=1))
job("100k rows: mean of each", lambda tf, x: tf.reduce_mean(x, axis=1))
job("100k rows: sum of columns", lambda tf, x: tf.reduce_sum(x, axis=0))
job("10k rows: sum of each", lambda tf, x: tf.reduce_sum(x, axis=1), 10_000)
job("10 rows: sum of each", lambda tf, x: tf.reduce_sum(x, axis=1), 10)
job("100k rows: to_tensor", lambda tf, x: x.to_tensor())
job("100k rows: to_tensor, cut", lambda tf, x: x.to_tensor(shape=[None, 10]))
job("10k rows: to_tensor", lambda tf, x: x.to_tensor(), 10_000)
job("10 rows: to_tensor", lambda tf, x: x.to_tensor(), 10)
job("100k rows: to_sparse", lambda tf, x: x.to_sparse().values)
job("100k rows: add", lambda tf, x: (x + x).values)
job("100k rows: add a column", lambda tf, x: (x + tf.ones([ROWS, 1])).values)
job("100k rows: softmax", lambda tf, x: tf.nn.softmax(x).values)
job("100k rows: concat", lambda tf, x: tf.concat([x, x], axis=1).values)
job("100k rows: gather", lambda tf, x: tf.gather(x, tf.range(0, ROWS, 2)).values)
job("100k rows: slice each", lambda tf, x: x[:, :3].values)
job("10 rows: one row", lambda tf, x: x[5], 10)
