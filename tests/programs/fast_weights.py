"""Meta learning: adapted tensors in the place of weights, gradients of gradients, one map of tasks."""

from functools import partial

import numpy as np

import runnel as tf

numbers = np.random.RandomState(0)


class Sine(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(8, activation="tanh")
        self.out = tf.keras.layers.Dense(1)

    def build(self, input_shape):
        self.scale = self.add_weight("scale", shape=[1], initializer="ones")
        super().build(input_shape)

    def call(self, x):
        return self.scale * self.out(self.hidden(x))


def task(count=5):
    height, phase = numbers.uniform(0.1, 5), numbers.uniform(0, np.pi)
    x = numbers.uniform(-5, 5, (2 * count, 1)).astype(np.float32)
    y = np.float32(height * np.sin(x - phase))
    return x[:count], y[:count], x[count:], y[count:]


def error(y, predicted):
    return tf.reduce_mean(tf.keras.losses.mean_squared_error(y, predicted))


def adapted(model, gradients, rate=0.05):
    """A copy whose layers hold the weights after one step, as tensors."""
    copy = Sine()
    copy(tf.zeros([1, 1]))
    copy.scale = model.scale - rate * gradients[0]
    pairs = [(model.hidden, copy.hidden), (model.out, copy.out)]
    for place, (old, new) in enumerate(pairs):
        new.kernel = old.kernel - rate * gradients[2 * place + 1]
        new.bias = old.bias - rate * gradients[2 * place + 2]
    return copy


tasks = [task() for _ in range(3)]
model = Sine()
model(tf.zeros([1, 1]))
by_name = {weight.name.split("/", 1)[-1]: weight for weight in model.weights}
print(sorted(by_name))
ordered = [model.scale, *model.hidden.weights, *model.out.weights]
optimizer = tf.keras.optimizers.Adam(0.01)
for x, y, x_after, y_after in tasks:
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            before = error(y, model(x))
        fast = adapted(model, inner.gradient(before, ordered))
        after = error(y_after, fast(tf.constant(x_after)))
    gradients = outer.gradient(after, ordered)
    optimizer.apply_gradients(zip(gradients, ordered))
    print(f"{before:.4f} {after:.4f} weights left: {len(fast.trainable_variables)}")

weights = [tf.Variable(np.float32(numbers.randn(*shape))) for shape in ((1, 6), (6,), (6, 1))]
rates = [tf.Variable(0.02) for _ in weights]


def forward(held, x):
    return tf.tanh(x @ held[0] + held[1]) @ held[2]


def after_step(batch, part):
    x, y, x_after, y_after = batch
    held = [tf.identity(w) for w in weights]
    with tf.GradientTape() as tape:
        tape.watch(held)
        loss = error(y, forward(held, x))
    slopes = tape.gradient(loss, held)
    held = [w - part * rate * slope for w, rate, slope in zip(held, rates, slopes)]
    return error(y_after, forward(held, x_after))


@tf.function
def meta_step(batch, part):
    with tf.GradientTape() as tape:
        one = partial(after_step, part=part)
        loss = tf.reduce_mean(tf.map_fn(one, batch, fn_output_signature=tf.float32))
    found = weights + rates
    gradients = tape.gradient(loss, found)
    for variable, gradient in zip(found, gradients):
        variable.assign_sub(1e-3 * gradient)
    return loss, tf.linalg.global_norm(gradients)


batch = tuple(np.stack(part) for part in zip(*tasks))
steps = [meta_step(batch, tf.constant(part)) for part in (1.0, 1.0, 0.5)]
answer = {
    "steps": [(loss.numpy(), norm.numpy()) for loss, norm in steps],
    "rates": [rate.numpy() for rate in rates],
    "scale": model.scale.numpy(),
}
