"""`tf.compat.v1.wrap_function`: graphs of functions, their variables, parts of them."""

import numpy as np
import pytest

import runnel as tf

v1 = tf.compat.v1


def line(x):
    w = v1.get_variable("w", [2], initializer=v1.ones_initializer())
    h = tf.multiply(w, x, name="h")
    return tf.add(h, tf.Variable(2.0, name="b"), name="out")


@pytest.fixture
def wrapped():
    return v1.wrap_function(line, [tf.TensorSpec([None], tf.float32)])


def test_variables_are_made_once_and_gradients_reach_them(wrapped):
    assert [v.name for v in wrapped.variables] == ["w:0", "b:0"]
    with tf.GradientTape() as tape:
        y = wrapped(tf.constant([1.0, 2.0]))
    np.testing.assert_allclose(y, [3.0, 4.0])
    w, b = tape.gradient(y, wrapped.variables)
    np.testing.assert_allclose(w, [1.0, 2.0])
    assert b == 2.0


def test_a_part_is_a_function_of_the_same_variables(wrapped):
    late = wrapped.prune("h:0", "out:0")
    wrapped.variables[1].assign(5.0)
    np.testing.assert_allclose(late(tf.constant([1.0, 1.0])), [6.0, 6.0])
    both = wrapped.prune(wrapped.inputs[0], {"h": "h:0", "out": "out:0"})
    np.testing.assert_allclose(both(tf.constant([1.0, 3.0]))["h"], [1.0, 3.0])


def test_what_is_not_in_the_graph_is_refused(wrapped):
    with pytest.raises(KeyError):
        wrapped.prune("nope:0", "h:0")
    with pytest.raises(ValueError, match="feeds"):
        wrapped.prune("h", "out:0")
    with pytest.raises(ValueError, match="not of the graph"):
        wrapped.prune("h:0", tf.constant(1.0))
    with pytest.raises(NotImplementedError, match="order"):
        wrapped(x=1.0)
