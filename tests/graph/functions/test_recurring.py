"""Tapes that recur: their gradients are those of the walk, to the last bit."""

import importlib

import numpy as np
import pytest

import runnel as tf

recurring = importlib.import_module("runnel.graph.functions.recurring")
RANDOM = np.random.default_rng(0)
ENOUGH = 20  # steps after which the way back has been written down


def normal(*shape):
    return tf.constant(RANDOM.standard_normal(shape, dtype=np.float32))


def network():
    kernels = [tf.Variable(normal(6, 6)) for _ in range(3)]
    biases = [tf.Variable(normal(6)) for _ in range(3)]

    def loss(x):
        y = x
        for kernel, bias in zip(kernels, biases, strict=True):
            y = tf.nn.relu(tf.matmul(y, kernel) + bias)
        return tf.reduce_mean(tf.square(y))

    return loss, [*kernels, *biases], (4, 6)


def shared():
    """A value that is used many times, whose gradients are added up in one order."""
    v = tf.Variable(normal(5))
    return lambda x: tf.reduce_sum(v * x + tf.sin(v) / v + tf.exp(v) * v * x), [v], (3, 5)


def rows():
    table = tf.constant(normal(9, 4))
    ids = tf.constant([3, 1, 3])

    def loss(x):
        part = tf.gather(table * 1.0, ids)
        return tf.reduce_sum(tf.concat([part, x], 0)[1:5, ::2] ** 2 * tf.reduce_max(x, 1)[0])

    return loss, [table], (3, 4)


def table():
    v = tf.Variable(normal(9, 4))
    ids = tf.constant([3, 1, 3])

    def loss(x):
        part = tf.nn.embedding_lookup(v, ids)
        return tf.reduce_sum(tf.exp(part) * x * part + v[:3] * tf.gather(v, ids, axis=0))

    return loss, [v], (3, 4)


def normalized():
    scale, kernel = tf.Variable(normal(1, 1, 1, 3)), tf.Variable(normal(2, 2, 2, 3))

    def loss(x):
        y = tf.nn.conv2d(tf.reshape(x, [2, 4, 4, 2]), kernel, 1, "SAME")
        mean, variance = tf.nn.moments(y, [0, 1, 2])
        y = tf.nn.softmax((y - mean) / tf.sqrt(variance + 0.1) * scale)
        return tf.reduce_logsumexp(tf.transpose(y, [1, 0, 3, 2]), axis=[0, 1])

    return loss, [scale, kernel], (8, 8)


def gradients(loss, sources, x, **options):
    with tf.GradientTape() as tape:
        tape.watch([s for s in sources if not isinstance(s, tf.Variable)])
        y = loss(x)
    return tape.gradient(y, sources, **options)


@pytest.mark.parametrize("case", [network, shared, rows, table, normalized])
def test_gradients_of_a_step_that_recurs_are_the_same_to_the_last_bit(case, monkeypatch):
    loss, sources, shape = case()
    used = []
    run = recurring._Way.gradients
    monkeypatch.setattr(
        recurring._Way, "gradients", lambda way, tensors: used.append(1) or run(way, tensors)
    )
    for _ in range(ENOUGH):
        gradients(loss, sources, normal(*shape))
    assert used or case is table  # which may be walked
    x = normal(*shape)
    found = gradients(loss, sources, x)
    monkeypatch.setattr(recurring, "_FEWEST", 1000)
    for one, other in zip(found, gradients(loss, sources, x), strict=True):
        pair = [tf.convert_to_tensor(g).numpy() for g in (one, other)]
        np.testing.assert_array_equal(*pair)
        assert type(one) is type(other)


def test_what_decides_a_shape_or_an_axis_tells_steps_apart():
    x = normal(3, 3)

    def slope(axis):
        (dx,) = gradients(lambda x: tf.reduce_sum(x, axis) ** 2 * 1.0 + 0.0 + 0.0, [x], x)
        return dx

    for _ in range(ENOUGH):
        slope(0)
    expected = 2 * np.repeat(x.numpy().sum(1, keepdims=True), 3, 1)
    np.testing.assert_allclose(slope(1), expected, rtol=1e-6)


def test_what_is_watched_and_what_arrives_tells_steps_apart():
    v, x = tf.Variable(normal(3)), normal(3)

    def both(watch, weight=None):
        with tf.GradientTape() as tape:
            if watch:
                tape.watch(x)
            y = tf.exp(x * v) * v + x * v
        return tape.gradient(y, [v, x], output_gradients=weight)

    for _ in range(ENOUGH):
        assert both(False)[1] is None
        assert both(True)[1] is not None
    weight = tf.constant([1.0, 0.0, 2.0])
    for whole, weighted in zip(both(True), both(True, weight), strict=True):
        np.testing.assert_allclose(weighted, whole * weight, rtol=1e-6)


def test_a_second_derivative_and_a_function_as_gradient_are_walked():
    calls = []

    @tf.custom_gradient
    def doubled(x):
        return 2 * x, lambda dy: calls.append(1) or dy * 2

    x = normal(3)
    for _ in range(ENOUGH):
        with tf.GradientTape() as outer:
            outer.watch(x)
            (slope,) = gradients(lambda x: tf.reduce_sum(tf.sin(doubled(x) * x) * x), [x], x)
        assert outer.gradient(slope, x) is not None
    assert len(calls) >= 2 * ENOUGH
