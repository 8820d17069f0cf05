"""Programs about `GradientTape.jacobian` and `batch_jacobian`; see `cases.py`."""

import numpy as np

_X = np.random.default_rng(3).uniform(-1, 1, (3, 4)).astype(np.float32)
_W = np.random.default_rng(4).uniform(-1, 1, (4, 2)).astype(np.float32)


def _jacobian(tf, f, x, **kwargs):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.jacobian(y, x, **kwargs)


def of_a_vector(tf):
    return _jacobian(tf, lambda x: x * x, tf.constant([1.0, 2.0, 3.0]))


def of_a_scalar(tf):
    return _jacobian(tf, lambda x: x * x, tf.constant(3.0))


def of_a_sum(tf):
    return _jacobian(tf, lambda x: tf.reduce_sum(x * x), tf.constant([1.0, 2.0]))


def of_a_layer(tf):
    x, w = tf.constant(_X), tf.Variable(_W)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(tf.matmul(x, w))
    return tape.jacobian(y, [x, w])


def of_a_layer_in_a_loop(tf):
    x, w = tf.constant(_X), tf.Variable(_W)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(tf.matmul(x, w))
    return tape.jacobian(y, [x, w], experimental_use_pfor=False)


def of_an_unconnected_target(tf):
    y = tf.constant([1.0, 2.0])
    return _jacobian(tf, lambda x: y * y, tf.constant([1.0, 2.0, 3.0]))


def of_an_unconnected_target_as_zeros(tf):
    y = tf.constant([1.0, 2.0])
    return _jacobian(
        tf, lambda x: y * y, tf.constant([1.0, 2.0, 3.0]), unconnected_gradients="zero"
    )


def by_sources_in_a_dict(tf):
    x, y = tf.constant([1.0, 2.0]), tf.constant([[3.0], [4.0]])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x * y
    return tape.jacobian(z, {"a": x, "b": [y]})


def of_a_gather(tf):
    return _jacobian(
        tf, lambda x: tf.gather(x, [1, 0, 1]) * 2.0, tf.constant([[1.0, 2.0], [3.0, 4.0]])
    )


def of_an_empty_target(tf):
    return _jacobian(tf, lambda x: x[:0] * 2.0, tf.constant([1.0, 2.0]))


def twice_on_a_persistent_tape(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    return tape.jacobian(y, x), tape.jacobian(y, x), tape.gradient(y, x)


def twice_on_a_tape_that_is_not_persistent(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.jacobian(y, x)
    return tape.jacobian(y, x)


def a_hessian_by_a_gradient_and_a_jacobian(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.exp(x) * x * x[0])
        g = inner.gradient(y, x)
    return outer.jacobian(g, x)


def a_gradient_of_a_jacobian(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        j = inner.jacobian(y, x)
    return outer.gradient(j, x)


def a_jacobian_of_a_jacobian(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        j = inner.jacobian(y, x)
    return outer.jacobian(j, x)


def of_a_batch(tf):
    x, w = tf.constant(_X), tf.constant(_W)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(tf.matmul(x, w))
    return tape.batch_jacobian(y, x)


def of_a_batch_in_a_loop(tf):
    x, w = tf.constant(_X), tf.constant(_W)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(tf.matmul(x, w))
    return tape.batch_jacobian(y, x, experimental_use_pfor=False)


def of_a_batch_of_vectors(tf):
    x = tf.constant([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.batch_jacobian(y, x)


def of_an_unconnected_batch(tf):
    x, z = tf.constant(_X), tf.constant(_X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, z])
        y = z * z
    return tape.batch_jacobian(y, x), tape.batch_jacobian(y, x, unconnected_gradients="zero")


def of_batches_of_different_sizes(tf):
    x = tf.constant(_X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[:2] * 2.0
    return tape.batch_jacobian(y, x)


def of_a_batch_of_scalars(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.batch_jacobian(y, x)


def inside_a_function(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.exp(x) * x[0]
        return tape.jacobian(y, x)

    return f(tf.constant([1.0, 2.0, 3.0]))


def of_a_batch_inside_a_function(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.tanh(tf.matmul(x, tf.constant(_W)))
        return tape.batch_jacobian(y, x)

    return f(tf.constant(_X))


def of_a_function(tf):
    f = tf.function(lambda x: tf.exp(x) * x[0])
    return _jacobian(tf, f, tf.constant([1.0, 2.0, 3.0]))


def of_a_custom_gradient(tf):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 100.0

    return _jacobian(tf, f, tf.constant([1.0, 2.0, 3.0]))
