"""Gradients of loops over elements, and of what a function takes from outside, as TensorFlow's."""

import numpy as np
import pytest

import runnel as tf

X = [1.0, 2.0, 3.0]
LOOPS = {
    "while": (
        lambda x, p: tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x], back_prop=p
        )[1],
        [4.0, 32.0, 108.0],
    ),
    "map": (lambda x, p: tf.map_fn(lambda e: e * e, x, back_prop=p), [2.0, 4.0, 6.0]),
    "scan": (lambda x, p: tf.scan(lambda a, e: a * e, x, back_prop=p), [9.0, 4.0, 2.0]),
    "foldl": (lambda x, p: tf.foldl(lambda a, e: a * e, x, back_prop=p), [6.0, 3.0, 2.0]),
    "foldr": (lambda x, p: tf.foldr(lambda a, e: a * e, x, back_prop=p), [6.0, 3.0, 2.0]),
}


def gradient(fn, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)
    return tape.gradient(y, x)


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("back_prop", [True, False])
def test_a_loop_has_a_dense_gradient_unless_a_graph_is_told_otherwise(name, back_prop):
    loop, want = LOOPS[name]
    eager = gradient(lambda x: loop(x, back_prop), tf.constant(X))
    assert isinstance(eager, tf.Tensor)
    np.testing.assert_allclose(eager, want)
    traced = gradient(tf.function(lambda x: loop(x, back_prop)), tf.constant(X))
    if back_prop:
        np.testing.assert_allclose(traced, want)
    else:
        assert traced is None


@pytest.mark.parametrize("size", [1, 3, 128, 129])
def test_a_tensor_from_outside_has_a_gradient_whatever_its_size(size):
    x = tf.range(size, dtype=tf.float32)
    fn = tf.function(lambda: x * x)
    fn()  # traced while nobody watches
    np.testing.assert_allclose(gradient(lambda _: fn(), x), 2 * np.arange(size))


def test_reading_bits_as_another_type_has_no_gradient():
    for dtype in (tf.float32, tf.int32):
        with pytest.raises(LookupError, match="Bitcast"):
            gradient(lambda x: tf.bitcast(x, dtype), tf.constant(X))  # noqa: B023
    bits = tf.function(lambda x: tf.bitcast(x, tf.int32))
    assert gradient(bits, tf.constant(X)) is None
