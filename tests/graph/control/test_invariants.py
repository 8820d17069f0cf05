"""What a compiled loop keeps once, and what it multiplies after its end."""

import re

import numpy as np
import pytest

import runnel as tf

X = np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(3, 4)
W = np.linspace(-0.4, 0.5, 16, dtype=np.float32).reshape(4, 4)


def recurrent(x, weights, steps, most=None):
    """A small recurrent network that stops after `steps` of at most `most` steps."""
    return tf.while_loop(
        lambda i, h: i < steps,
        lambda i, h: (i + 1, tf.tanh(tf.matmul(h, weights) + x)),
        (0, x),
        maximum_iterations=most,
    )[1]


def gradients(x, w, steps, most):
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        loss = tf.reduce_sum(recurrent(x, w, steps, most) ** 2)
    return tape.gradient(loss, [x, w], unconnected_gradients="zero")


@pytest.mark.parametrize(("steps", "most"), [(0, 5), (3, 5), (7, 7), (5, 300), (260, 300)])
@pytest.mark.parametrize("kind", [tf.Variable, tf.constant])
def test_a_weight_in_a_loop_has_the_gradient_it_has_eagerly(kind, steps, most):
    x, w = tf.constant(X), kind(W)
    want = gradients(x, w, steps, most)
    found = tf.function(lambda n: gradients(x, w, n, most))(tf.constant(steps))
    for a, b in zip(want, found):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


def test_the_gradient_of_such_a_gradient():
    x, w = tf.constant(X), tf.constant(W)

    def second():
        with tf.GradientTape() as tape:
            tape.watch(w)
            dx, dw = gradients(x, w, 4, 4)
            loss = tf.reduce_sum(dx * dx) + tf.reduce_sum(dw * dw)
        return tape.gradient(loss, w)

    np.testing.assert_allclose(tf.function(second)(), second(), rtol=1e-4, atol=1e-5)


def test_a_weight_that_the_loop_changes_is_kept_for_every_iteration():
    x, w = tf.constant(X), tf.Variable(W)

    def run():
        w.assign(W)
        with tf.GradientTape() as tape:
            h = x
            for _ in tf.range(5):
                h = tf.tanh(tf.matmul(h, w))
                w.assign(w * 0.9)
            loss = tf.reduce_sum(h)
        return tape.gradient(loss, w)

    np.testing.assert_allclose(tf.function(run)(), run(), rtol=1e-5)


def shapes_in(fn, *args):
    """The shapes of all values in a compiled function, as XLA writes them."""
    return set(re.findall(r"f32\[([0-9,]+)\]", fn.experimental_get_compiler_ir(*args)("hlo")))


def test_a_weight_is_neither_stacked_nor_are_products_added_up_one_by_one():
    w = tf.Variable(W)
    fn = tf.function(lambda x: gradients(x, w, 7, 7), jit_compile=True)
    found = shapes_in(fn, tf.constant(X))
    assert "7,3,4" in found  # what varies is stacked
    assert "7,4,4" not in found  # the weight is not
    assert "21,4" in found  # the factors of its gradient, multiplied at once
