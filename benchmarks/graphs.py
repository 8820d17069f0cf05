"""Functions: what a call costs, loops, tracing, many shapes."""

import numpy as np

from benchmarks.jobs import benchmark

RANDOM = np.random.default_rng(1)


def normal(*shape):
    return RANDOM.standard_normal(shape, dtype=np.float32)


@benchmark("call of a one-op function")
def one_op(tf):
    x = tf.ones([8])
    fn = tf.function(lambda x: x + 1.0)
    return lambda: fn(x)


@benchmark("call of a one-op function", "torch")
def one_op_torch(torch):
    x = torch.ones(8)
    fn = torch.compile(lambda x: x + 1.0)
    return lambda: fn(x)


@benchmark("100 times relu(x*0.99 + 0.1)")
def many_ops(tf):
    x = tf.ones([8])

    @tf.function
    def fn(x):
        for _ in range(100):
            x = tf.nn.relu(x * 0.99 + 0.1)
        return x

    return lambda: fn(x)


@benchmark("chain of 100 ops")
def chain(tf):
    x = tf.ones([8])

    @tf.function
    def fn(x):
        for _ in range(50):
            x = x * 0.99 + 0.1
        return x

    return lambda: fn(x)


@benchmark("chain of 100 ops", "torch")
def chain_torch(torch):
    x = torch.ones(8)

    @torch.compile
    def fn(x):
        for _ in range(50):
            x = x * 0.99 + 0.1
        return x

    return lambda: fn(x)


@benchmark("for i in tf.range(1000)")
def counted_loop(tf):
    @tf.function
    def fn(n):
        total = 0
        for i in tf.range(n):
            total += i * 2
        return total

    n = tf.constant(1000)
    return lambda: fn(n)


@benchmark("a while loop that depends on data")
def data_loop(tf):
    @tf.function
    def fn(x):
        while tf.reduce_sum(x) < 1000.0:
            x = x * 1.01 + 0.01
        return x

    x = tf.ones([8])
    return lambda: fn(x)


@benchmark("tracing 500 ops")
def tracing(tf):
    x = tf.ones([8])

    def body(x):
        for _ in range(250):
            x = x * 0.99 + 0.1
        return x

    return lambda: tf.function(body).get_concrete_function(x).outputs and x


@benchmark("first call of a small function")
def first_call(tf):
    x = tf.ones([8])

    def call():
        return tf.function(lambda x: tf.reduce_sum(tf.nn.relu(x * 2.0 + 1.0)))(x)

    return call


@benchmark("a function at 20 shapes")
def many_shapes(tf):
    inputs = [tf.ones([n, 4]) for n in range(1, 21)]
    spec = [tf.TensorSpec([None, 4], tf.float32)]
    w = tf.Variable(normal(4, 4))

    def call():
        fn = tf.function(lambda x: tf.nn.relu(tf.matmul(x, w)) + 1.0, input_signature=spec)
        return [fn(x) for x in inputs]

    return call
