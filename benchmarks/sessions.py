"""Sessions of `tf.compat.v1`: what a run costs, training steps, first runs, large graphs."""

import numpy as np

from benchmarks.jobs import benchmark

RANDOM = np.random.default_rng(1)


def normal(*shape):
    return RANDOM.standard_normal(shape, dtype=np.float32)


def session_of(tf, build):
    """A session on a new graph, its variables initialised, and what `build` made."""
    graph = tf.Graph()
    with graph.as_default():
        made = build(tf.compat.v1)
        first = tf.compat.v1.global_variables_initializer()
    session = tf.compat.v1.Session(graph=graph)
    session.run(first)
    return session, made


@benchmark("sess.run of one op")
def one_op(tf):
    x = np.ones(8, np.float32)

    def build(v1):
        fed = v1.placeholder(tf.float32, [8])
        return fed, fed + 1.0

    session, (fed, y) = session_of(tf, build)
    return lambda: session.run(y, {fed: x})


@benchmark("sess.run of a chain of 100 ops")
def chain(tf):
    x = np.ones(8, np.float32)

    def build(v1):
        y = fed = v1.placeholder(tf.float32, [8])
        for _ in range(50):
            y = y * 0.99 + 0.1
        return fed, y

    session, (fed, y) = session_of(tf, build)
    return lambda: session.run(y, {fed: x})


@benchmark("training step of an MLP in a session")
def mlp(tf):
    x, labels = normal(64, 784), np.arange(64) % 10

    def build(v1):
        fed = v1.placeholder(tf.float32, [None, 784])
        wanted = v1.placeholder(tf.int32, [None])
        h = fed
        for n, (a, b) in enumerate([(784, 256), (256, 128)]):
            w = v1.get_variable(f"w{n}", [a, b])
            h = tf.nn.relu(tf.matmul(h, w) + v1.get_variable(f"b{n}", [b]))
        logits = tf.matmul(h, v1.get_variable("out", [128, 10]))
        loss = v1.losses.sparse_softmax_cross_entropy(wanted, logits)
        return fed, wanted, loss, v1.train.AdamOptimizer(1e-3).minimize(loss)

    session, (fed, wanted, loss, step) = session_of(tf, build)
    return lambda: session.run([loss, step], {fed: x, wanted: labels})[0]


@benchmark("training step of a CNN in a session")
def cnn(tf):
    x, labels = normal(32, 28, 28, 1), np.arange(32) % 10

    def build(v1):
        fed = v1.placeholder(tf.float32, [None, 28, 28, 1])
        wanted = v1.placeholder(tf.int32, [None])
        h = fed
        for n, (a, b) in enumerate([(1, 16), (16, 32)]):
            w = v1.get_variable(f"w{n}", [3, 3, a, b])
            h = tf.nn.relu(v1.nn.conv2d(h, w, [1, 1, 1, 1], "SAME"))
            h = v1.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        logits = tf.matmul(tf.reshape(h, [-1, 7 * 7 * 32]), v1.get_variable("out", [1568, 10]))
        loss = v1.losses.sparse_softmax_cross_entropy(wanted, logits)
        return fed, wanted, loss, v1.train.MomentumOptimizer(0.01, 0.9).minimize(loss)

    session, (fed, wanted, loss, step) = session_of(tf, build)
    return lambda: session.run([loss, step], {fed: x, wanted: labels})[0]


@benchmark("a graph of 20 ops and its first run")
def first_run(tf):
    x = np.ones(8, np.float32)

    def call():
        graph = tf.Graph()
        with graph.as_default():
            y = fed = tf.compat.v1.placeholder(tf.float32, [8])
            for _ in range(10):
                y = y * 0.99 + 0.1
        with tf.compat.v1.Session(graph=graph) as session:
            return session.run(y, {fed: x})

    return call


def grown(tf, count):
    x = np.ones(8, np.float32)

    def call():
        graph = tf.Graph()
        with graph.as_default():
            y = fed = tf.compat.v1.placeholder(tf.float32, [8])
            for _ in range(count // 2):
                y = tf.nn.relu(tf.tanh(y))
        with tf.compat.v1.Session(graph=graph) as session:
            return session.run(y, {fed: x})

    return call


@benchmark("a graph of 1,000 ops, made and run once")
def thousand(tf):
    return grown(tf, 1000)


@benchmark("a graph of 10,000 ops, made and run once")
def ten_thousand(tf):
    return grown(tf, 10000)
