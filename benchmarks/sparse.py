"""Sparse tensors: products, sums, sorting, segments, sets."""

from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.jobs import Call, benchmark

SIZE, ENTRIES = 10_000, 100_000


def matrix(tf: ModuleType, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    numbers = np.unique(rng.integers(0, SIZE * SIZE, ENTRIES))
    indices = np.stack([numbers // SIZE, numbers % SIZE], axis=1)
    values = rng.random(len(numbers)).astype(np.float32)
    return tf.SparseTensor(indices, values, [SIZE, SIZE])


def dense(tf: ModuleType, columns: int) -> Any:
    return tf.constant(np.random.default_rng(1).random((SIZE, columns)).astype(np.float32))


def product(columns: int) -> None:
    @benchmark(f"100k entries @ [10k, {columns}]")
    def prepare(tf: ModuleType) -> Call:
        a, b = matrix(tf), dense(tf, columns)
        return lambda: tf.sparse.sparse_dense_matmul(a, b)


for _columns in (1, 16, 64):
    product(_columns)


@benchmark("100k entries @ [10k, 16]: function")
def product_in_function(tf: ModuleType) -> Call:
    a, b = matrix(tf), dense(tf, 16)
    call = tf.function(tf.sparse.sparse_dense_matmul)
    return lambda: call(a, b)


@benchmark("100k entries @ [10k, 16]: gradient")
def product_gradient(tf: ModuleType) -> Call:
    a, b = matrix(tf), dense(tf, 16)

    def run() -> Any:
        with tf.GradientTape() as tape:
            tape.watch([a.values, b])
            y = tf.reduce_sum(tf.sparse.sparse_dense_matmul(a, b))
        return tape.gradient(y, [a.values, b])[0]

    return run


@benchmark("100k entries: add")
def add(tf: ModuleType) -> Call:
    a, b = matrix(tf), matrix(tf, seed=2)
    return lambda: tf.sparse.add(a, b).values


@benchmark("100k entries: reorder")
def reorder(tf: ModuleType) -> Call:
    a = matrix(tf)
    places = np.random.default_rng(3).permutation(a.values.shape[0])
    shuffled = tf.SparseTensor(a.indices.numpy()[places], a.values.numpy()[places], [SIZE, SIZE])
    return lambda: tf.sparse.reorder(shuffled).values


@benchmark("100k entries: transpose")
def transpose(tf: ModuleType) -> Call:
    a = matrix(tf)
    return lambda: tf.sparse.transpose(a).values


@benchmark("100k entries: reduce_sum of rows")
def reduce_rows(tf: ModuleType) -> Call:
    a = matrix(tf)
    return lambda: tf.sparse.reduce_sum(a, axis=1)


@benchmark("100k entries: embedding lookup")
def lookup(tf: ModuleType) -> Call:
    a, table = matrix(tf), dense(tf, 16)
    ids = tf.SparseTensor(a.indices, a.indices[:, 1], [SIZE, SIZE])
    return lambda: tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum")


@benchmark("10k sets of 10: union")
def union(tf: ModuleType) -> Call:
    rng = np.random.default_rng(4)
    a, b = (tf.constant(rng.integers(0, 1000, (SIZE, 10))) for _ in range(2))
    return lambda: tf.sets.union(a, b).values
