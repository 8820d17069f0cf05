"""Ops one at a time: the overhead of a call on small tensors, the work itself on large ones."""

import numpy as np

from benchmarks.jobs import benchmark

RANDOM = np.random.default_rng(1)
MILLION = RANDOM.standard_normal(1_000_000, dtype=np.float32)
SQUARE = RANDOM.standard_normal((1024, 1024), dtype=np.float32)


@benchmark("add of 8 floats")
def add_small(tf):
    a, b = tf.ones([8]), tf.ones([8])
    return lambda: a + b


@benchmark("a + 1.0")
def add_number(tf):
    a = tf.ones([8])
    return lambda: a + 1.0


@benchmark("matmul 32x32")
def matmul_small(tf):
    a, b = tf.ones([32, 32]), tf.ones([32, 32])
    return lambda: tf.matmul(a, b)


@benchmark("reduce_sum of 4x8")
def sum_small(tf):
    a = tf.ones([4, 8])
    return lambda: tf.reduce_sum(a)


@benchmark("slice a[1:3, ::2]")
def slice_small(tf):
    a = tf.ones([4, 8])
    return lambda: a[1:3, ::2]


@benchmark("concat of two 4x8")
def concat_small(tf):
    a, b = tf.ones([4, 8]), tf.ones([4, 8])
    return lambda: tf.concat([a, b], axis=0)


@benchmark("assign_add of 8 floats")
def assign_add_small(tf):
    v, a = tf.Variable(tf.zeros([8])), tf.ones([8])
    return lambda: v.assign_add(a)


@benchmark("add of 8 floats", "torch")
def add_small_torch(torch):
    a, b = torch.ones(8), torch.ones(8)
    return lambda: a + b


@benchmark("reduce_sum of 4x8", "torch")
def sum_small_torch(torch):
    a = torch.ones(4, 8)
    return lambda: torch.sum(a)


@benchmark("slice a[1:3, ::2]", "torch")
def slice_small_torch(torch):
    a = torch.ones(4, 8)
    return lambda: a[1:3, ::2]


@benchmark("assign_add of 8 floats", "torch")
def assign_add_small_torch(torch):
    v, a = torch.zeros(8), torch.ones(8)
    return lambda: v.add_(a)


@benchmark("1M floats: add")
def add_large(tf):
    a, b = tf.constant(MILLION), tf.constant(MILLION)
    return lambda: a + b


@benchmark("1M floats: add", "numpy")
def add_large_numpy(np):
    a, b = MILLION.copy(), MILLION.copy()
    return lambda: a + b


@benchmark("1M floats: exp")
def exp_large(tf):
    a = tf.constant(MILLION)
    return lambda: tf.exp(a)


@benchmark("1M floats: exp", "numpy")
def exp_large_numpy(np):
    return lambda: np.exp(MILLION)


@benchmark("1M floats: reduce_sum")
def sum_large(tf):
    a = tf.constant(MILLION)
    return lambda: tf.reduce_sum(a)


@benchmark("1M floats: reduce_sum", "numpy")
def sum_large_numpy(np):
    return lambda: np.sum(MILLION)


@benchmark("matmul 1024x1024")
def matmul_large(tf):
    a = tf.constant(SQUARE)
    return lambda: tf.matmul(a, a)


@benchmark("matmul 1024x1024", "numpy")
def matmul_large_numpy(np):
    return lambda: SQUARE @ SQUARE
