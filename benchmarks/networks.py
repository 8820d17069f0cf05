"""Networks forward and backward as one graph, and the same mathematics in jax.jit and PyTorch."""

import numpy as np

from benchmarks.jobs import benchmark

RANDOM = np.random.default_rng(1)


def normal(*shape):
    return RANDOM.standard_normal(shape, dtype=np.float32)


def trained(tf, model, variables, *inputs):
    """A call of forward and backward pass as one function."""

    @tf.function
    def step(*inputs):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(*inputs)))
        return tape.gradient(loss, variables)

    return lambda: step(*inputs)


@benchmark("convolution [1,200,200,100] with 3x3x100x100")
def convolution(tf):
    x, w = tf.constant(normal(1, 200, 200, 100)), tf.constant(normal(3, 3, 100, 100))
    fn = tf.function(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"))
    return lambda: fn(x, w)


@benchmark("the convolution and its gradients")
def convolution_gradient(tf):
    x, w = tf.Variable(normal(1, 200, 200, 100)), tf.Variable(normal(3, 3, 100, 100))
    return trained(tf, lambda: tf.nn.conv2d(x, w, 1, "SAME"), [x, w])


@benchmark("small CNN and its gradients")
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


@benchmark("LSTM (T=50, B=32, U=128) and its gradients")
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


@benchmark("transformer block (8x128x256) and its gradients")
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


# The same in JAX, with the compiler option that makes its convolutions fast on the CPU.


def jax_gradients(jax, model, weights, *inputs):
    def loss(weights, *inputs):
        return jax.numpy.mean(jax.numpy.square(model(weights, *inputs)))

    step = jax_compiled(jax, jax.grad(loss))
    weights, inputs = jax.device_put((weights, inputs))
    return lambda: step(weights, *inputs)


def jax_compiled(jax, function):
    option = {"xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT"}
    return jax.jit(function, compiler_options=option)


def jax_conv(jax, x, w):
    numbers = ("NHWC", "HWIO", "NHWC")
    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=numbers)


@benchmark("convolution [1,200,200,100] with 3x3x100x100", "jax")
def convolution_jax(jax):
    x, w = jax.device_put((normal(1, 200, 200, 100), normal(3, 3, 100, 100)))
    fn = jax_compiled(jax, lambda x, w: jax_conv(jax, x, w))
    return lambda: fn(x, w)


@benchmark("the convolution and its gradients", "jax")
def convolution_gradient_jax(jax):
    weights = [normal(1, 200, 200, 100), normal(3, 3, 100, 100)]
    return jax_gradients(jax, lambda weights: jax_conv(jax, *weights), weights)


@benchmark("small CNN and its gradients", "jax")
def small_cnn_jax(jax):
    weights = [normal(3, 3, 1, 32) / 3, normal(3, 3, 32, 64) / 17, normal(7 * 7 * 64, 10) / 56]

    def model(weights, x):
        for kernel in weights[:2]:
            x = jax.nn.relu(jax_conv(jax, x, kernel))
            window = (1, 2, 2, 1)
            x = jax.lax.reduce_window(x, -np.inf, jax.lax.max, window, window, "SAME")
        return x.reshape(-1, 7 * 7 * 64) @ weights[2]

    return jax_gradients(jax, model, weights, normal(64, 28, 28, 1))


@benchmark("LSTM (T=50, B=32, U=128) and its gradients", "jax")
def lstm_jax(jax):
    weights = [normal(128, 512) / 11, normal(128, 512) / 11, np.zeros(512, np.float32)]
    sigmoid, tanh = jax.nn.sigmoid, jax.numpy.tanh

    def model(weights, x):
        kernel, recurrent, bias = weights

        def step(carry, projected):
            h, c = carry
            i, f, g, o = jax.numpy.split(projected + h @ recurrent, 4, axis=1)
            c = sigmoid(f) * c + sigmoid(i) * tanh(g)
            return (sigmoid(o) * tanh(c), c), None

        zeros = jax.numpy.zeros((32, 128), np.float32)
        (h, _), _ = jax.lax.scan(step, (zeros, zeros), x @ kernel + bias)
        return h

    return jax_gradients(jax, model, weights, normal(50, 32, 128))


@benchmark("transformer block (8x128x256) and its gradients", "jax")
def transformer_jax(jax):
    np_ = jax.numpy
    shapes = [(256, 768), (256, 256), (256, 1024), (1024, 256)]
    weights = [normal(*shape) / shape[0] ** 0.5 for shape in shapes]

    def norm(x):
        mean = np_.mean(x, -1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(np_.var(x, -1, keepdims=True) + 1e-5)

    def model(weights, x):
        qkv, out, up, down = weights
        heads = (norm(x) @ qkv).reshape(8, 128, 3, 8, 32)
        q, k, v = np_.transpose(heads, (2, 0, 3, 1, 4))
        scores = jax.nn.softmax(q @ np_.swapaxes(k, -1, -2) / 5.6568)
        x = x + np_.transpose(scores @ v, (0, 2, 1, 3)).reshape(8, 128, 256) @ out
        return x + jax.nn.relu(norm(x) @ up) @ down

    return jax_gradients(jax, model, weights, normal(8, 128, 256))


# The same in PyTorch, in its own layout of images.


def torch_gradients(torch, model, weights, *inputs):
    weights = [torch.tensor(w, requires_grad=True) for w in weights]
    inputs = [torch.tensor(x) for x in inputs]
    return lambda: torch.autograd.grad(model(weights, *inputs).square().mean(), weights)


@benchmark("convolution [1,200,200,100] with 3x3x100x100", "torch")
def convolution_torch(torch):
    x, w = torch.tensor(normal(1, 100, 200, 200)), torch.tensor(normal(100, 100, 3, 3))
    return lambda: torch.nn.functional.conv2d(x, w, padding=1)


@benchmark("the convolution and its gradients", "torch")
def convolution_gradient_torch(torch):
    weights = [normal(1, 100, 200, 200), normal(100, 100, 3, 3)]
    conv = torch.nn.functional.conv2d
    return torch_gradients(torch, lambda weights: conv(*weights, padding=1), weights)


@benchmark("small CNN and its gradients", "torch")
def small_cnn_torch(torch):
    weights = [normal(32, 1, 3, 3) / 3, normal(64, 32, 3, 3) / 17, normal(7 * 7 * 64, 10) / 56]

    def model(weights, x):
        for kernel in weights[:2]:
            x = torch.relu(torch.nn.functional.conv2d(x, kernel, padding=1))
            x = torch.nn.functional.max_pool2d(x, 2)
        return x.reshape(-1, 7 * 7 * 64) @ weights[2]

    return torch_gradients(torch, model, weights, normal(64, 1, 28, 28))


@benchmark("LSTM (T=50, B=32, U=128) and its gradients", "torch")
def lstm_torch(torch):
    lstm, x = torch.nn.LSTM(128, 128), torch.tensor(normal(50, 32, 128))
    weights = list(lstm.parameters())
    return lambda: torch.autograd.grad(lstm(x)[0][-1].square().mean(), weights)


@benchmark("transformer block (8x128x256) and its gradients", "torch")
def transformer_torch(torch):
    shapes = [(256, 768), (256, 256), (256, 1024), (1024, 256)]
    weights = [normal(*shape) / shape[0] ** 0.5 for shape in shapes]

    def model(weights, x):
        qkv, out, up, down = weights
        heads = torch.layer_norm(x, (256,)) @ qkv
        q, k, v = heads.reshape(8, 128, 3, 8, 32).permute(2, 0, 3, 1, 4)
        scores = torch.softmax(q @ k.transpose(-1, -2) / 5.6568, -1)
        x = x + (scores @ v).transpose(1, 2).reshape(8, 128, 256) @ out
        return x + torch.relu(torch.layer_norm(x, (256,)) @ up) @ down

    return torch_gradients(torch, model, weights, normal(8, 128, 256))
