"""Tensors, variables and operations as objects: what `==` means, keys, devices."""

import pytest

import runnel as tf

v1 = tf.compat.v1


def test_in_a_graph_variables_and_ragged_tensors_are_compared_as_objects():
    with tf.Graph().as_default():
        first, second = (v1.get_variable(name, [1]) for name in "ab")
        rows = tf.ragged.constant([[1]])
        assert first not in [second] and {first: 1, second: 2}[second] == 2
        assert (rows == rows) is True and {rows: 3}[rows] == 3
    assert (tf.Variable([1]) == tf.Variable([1])).numpy().all()


def test_tensors_are_compared_as_objects_when_the_switch_says_so():
    try:
        v1.disable_tensor_equality()
        x, v = tf.constant(1), tf.Variable(1)
        assert (x == tf.constant(1)) is False and (v == v) is True and {x: 1, v: 2}[v] == 2
    finally:
        v1.enable_tensor_equality()
    with pytest.raises(TypeError, match="unhashable"):
        hash(tf.constant(1))


def test_devices_are_functions_of_operations():
    with tf.Graph().as_default(), v1.device(lambda op: "/cpu:1" if op.type == "Const" else ""):
        assert tf.constant(1).device == "/cpu:1"
        assert tf.identity(tf.constant(1)).device == ""
