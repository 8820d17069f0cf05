"""Functions: what a call costs, loops, tracing, and models forward and backward as one graph."""

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


@benchmark("100 times relu(x*0.99 + 0.1)")
def many_ops(tf):
    x = tf.ones([8])

    @tf.function
    def fn(x):
        for _ in range(100):
            x = tf.nn.relu(x * 0.99 + 0.1)
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


def trained(tf, model, variables, *inputs):
    """A call of forward and backward pass as one function."""

    @tf.function
    def step(*inputs):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(*inputs)))
        return tape.gradient(loss, variables)

    return lambda: step(*inputs)


@benchmark("convolution of [1,200,200,100] with 3x3x100x100")
def convolution(tf):
    x, w = tf.constant(normal(1, 200, 200, 100)), tf.constant(normal(3, 3, 100, 100))
    fn = tf.function(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"))
    return lambda: fn(x, w)


@benchmark("small CNN, forward and backward")
def small_cnn(tf):
    x = tf.constant(normal(64, 28, 28, 1))
    kernels = [tf.Variable(normal(3, 3, 1, 32) / 3), tf.Variable(normal(3, 3, 32, 64) / 17)]
    dense = tf.Variable(normal(7 * 7 * 64, 10) / 56)

    def model(x):
        for kernel in kernels:
            x = tf.nn.relu(tf.nn.conv2d(x, kernel, 1, "SAME"))
            x = tf.nn.max_pool2d(x, 2, 2, "SAME")
        return tf.matmul(tf.reshape(x, [-1, 7 * 7 * 64]), dense)

    return trained(tf, model, [*kernels, dense], x)


@benchmark("LSTM (T=50, B=32, U=128), forward and backward")
def lstm(tf):
    x = tf.constant(normal(50, 32, 128))
    kernel, recurrent = tf.Variable(normal(128, 512) / 11), tf.Variable(normal(128, 512) / 11)
    bias = tf.Variable(np.zeros(512, np.float32))

    def model(x):
        h, c = tf.zeros([32, 128]), tf.zeros([32, 128])
        projected = tf.matmul(tf.reshape(x, [-1, 128]), kernel) + bias
        projected = tf.reshape(projected, [50, 32, 512])
        for t in tf.range(50):
            z = projected[t] + tf.matmul(h, recurrent)
            i, f, g, o = tf.split(z, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
        return h

    return trained(tf, model, [kernel, recurrent, bias], x)


@benchmark("transformer block (B=8, S=128, D=256), forward and backward")
def transformer(tf):
    x = tf.constant(normal(8, 128, 256))
    qkv = tf.Variable(normal(256, 768) / 16)
    out, up = tf.Variable(normal(256, 256) / 16), tf.Variable(normal(256, 1024) / 16)
    down = tf.Variable(normal(1024, 256) / 32)

    def norm(x):
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5)

    def model(x):
        heads = tf.reshape(tf.einsum("bsd,de->bse", norm(x), qkv), [8, 128, 3, 8, 32])
        q, k, v = tf.unstack(tf.transpose(heads, [2, 0, 3, 1, 4]))
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 5.6568)
        joined = tf.reshape(tf.transpose(tf.matmul(weights, v), [0, 2, 1, 3]), [8, 128, 256])
        x = x + tf.einsum("bsd,de->bse", joined, out)
        hidden = tf.nn.relu(tf.einsum("bsd,de->bse", norm(x), up))
        return x + tf.einsum("bsd,de->bse", hidden, down)

    return trained(tf, model, [qkv, out, up, down], x)
