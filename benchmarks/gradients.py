"""Recording on a tape and going back: small gradients, where the overhead is, and a Jacobian."""

import numpy as np

from benchmarks.jobs import benchmark

RANDOM = np.random.default_rng(1)
BATCH = RANDOM.standard_normal((32, 64), dtype=np.float32)
KERNELS = RANDOM.standard_normal((3, 64, 64), dtype=np.float32) / 8
BIASES = np.zeros((3, 64), np.float32)


@benchmark("gradient of sum(v*v + v)")
def gradient_small(tf):
    v = tf.Variable(tf.ones([8]))

    def call():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v + v)
        return tape.gradient(loss, v)

    return call


@benchmark("gradient of sum(v*v + v)", "torch")
def gradient_small_torch(torch):
    v = torch.ones(8, requires_grad=True)
    return lambda: torch.autograd.grad((v * v + v).sum(), v)


@benchmark("gradient of a three-layer network")
def network(tf):
    x = tf.constant(BATCH)
    layers = [(tf.Variable(w), tf.Variable(b)) for w, b in zip(KERNELS, BIASES)]
    variables = [v for layer in layers for v in layer]

    def call():
        with tf.GradientTape() as tape:
            y = x
            for kernel, bias in layers:
                y = tf.nn.relu(tf.matmul(y, kernel) + bias)
            loss = tf.reduce_mean(tf.square(y))
        return tape.gradient(loss, variables)

    return call


@benchmark("gradient of a three-layer network", "torch")
def network_torch(torch):
    x = torch.tensor(BATCH)
    layers = [[torch.tensor(v, requires_grad=True) for v in pair] for pair in zip(KERNELS, BIASES)]
    variables = [v for layer in layers for v in layer]

    def call():
        y = x
        for kernel, bias in layers:
            y = torch.relu(y @ kernel + bias)
        return torch.autograd.grad(y.square().mean(), variables)

    return call


@benchmark("training step of a three-layer network")
def step(tf):
    x = tf.constant(BATCH)
    layers = [(tf.Variable(w), tf.Variable(b)) for w, b in zip(KERNELS, BIASES)]
    variables = [v for layer in layers for v in layer]

    def call():
        with tf.GradientTape() as tape:
            y = x
            for kernel, bias in layers:
                y = tf.nn.relu(tf.matmul(y, kernel) + bias)
            loss = tf.reduce_mean(tf.square(y))
        for variable, gradient in zip(variables, tape.gradient(loss, variables)):
            variable.assign_sub(gradient * 0.01)
        return loss

    return call


@benchmark("training step of a three-layer network", "torch")
def step_torch(torch):
    x = torch.tensor(BATCH)
    layers = [[torch.tensor(v, requires_grad=True) for v in pair] for pair in zip(KERNELS, BIASES)]
    variables = [v for layer in layers for v in layer]

    def call():
        y = x
        for kernel, bias in layers:
            y = torch.relu(y @ kernel + bias)
        loss = y.square().mean()
        gradients = torch.autograd.grad(loss, variables)
        with torch.no_grad():
            for variable, gradient in zip(variables, gradients):
                variable.sub_(gradient * 0.01)
        return loss

    return call


@benchmark("Jacobian of a 64-unit layer")
def jacobian(tf):
    x, kernel = tf.constant(BATCH), tf.Variable(KERNELS[0])

    def call():
        with tf.GradientTape() as tape:
            y = tf.tanh(tf.matmul(x, kernel))
        return tape.jacobian(y, kernel)

    return call


@benchmark("Jacobian of a 64-unit layer", "torch")
def jacobian_torch(torch):
    x, kernel = torch.tensor(BATCH), torch.tensor(KERNELS[0])
    transform = torch.func.jacrev(lambda w: torch.tanh(x @ w))
    return lambda: transform(kernel)
