"""Calls after the first: which of them are traced again, and what is still checked."""

import pytest

import runnel as tf


def test_a_function_that_makes_variables_outside_its_graph_is_traced_twice():
    made, traces = [], []

    @tf.function
    def inner(x):
        traces.append("inner")
        if not made:
            with tf.init_scope():
                made.append(tf.Variable(2.0))
        return x * made[0]

    @tf.function
    def outer(x):
        traces.append("outer")
        return inner(x) + 1.0

    assert [float(outer(tf.constant(3.0))) for _ in range(2)] == [7.0, 7.0]
    assert traces == ["outer", "inner", "inner"]  # the outer one made none itself


@pytest.mark.parametrize("given", [lambda *x: x[0] + x[1], lambda a, b: a + b])
def test_arguments_are_held_to_a_signature_in_every_call(given):
    function = tf.function(given, input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([])])
    for size in (1, 3, 3, 1):
        assert function(tf.ones([size, 2]), tf.constant(1.0)).shape == [size, 2]
    assert function.experimental_get_tracing_count() == 1
    for wrong in (tf.ones([3, 3]), tf.ones([3, 2], tf.int32), tf.ones([3])):
        for _ in range(2):
            with pytest.raises((TypeError, ValueError)):
                function(wrong, tf.constant(1.0))
    with pytest.raises(TypeError):
        function(tf.ones([3, 2]))
    assert float(function([[1.0, 2.0]], 1)[0, 1]) == 3.0
