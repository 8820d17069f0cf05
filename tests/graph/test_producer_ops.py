"""Graphs of a writer whose ops have attributes that are not known here."""

from __future__ import annotations

import pytest

import runnel as tf
from runnel.core.protos import messages


def graph_with(**attributes: bool):
    with tf.Graph().as_default() as graph:
        x = tf.constant([[1.0, 2.0]], name="x")
        tf.matmul(x, x, transpose_b=True, name="y")
    message = graph.as_graph_def()
    node = next(node for node in message.node if node.op == "MatMul")
    for name, value in attributes.items():
        node.attr[name].b = value
    return message


def ops_with_default(value: bool):
    found = messages.OpList()
    found.op.add(name="MatMul").attr.add(name="newer").default_value.b = value
    return found


def imported(message, ops):
    with tf.Graph().as_default():
        return tf.graph_util.import_graph_def(
            message, return_elements=["y:0"], producer_op_list=ops
        )


def test_an_unknown_attribute_may_have_its_default() -> None:
    assert imported(graph_with(newer=True), ops_with_default(True))[0].shape == [1, 1]
    assert imported(graph_with(_note=True), ops_with_default(True))[0].shape == [1, 1]


def test_another_value_of_it_is_refused() -> None:
    with pytest.raises(ValueError, match="'newer' not in MatMul: the node 'y'"):
        imported(graph_with(newer=True), ops_with_default(False))
    with pytest.raises(ValueError, match="'other'"):
        imported(graph_with(other=False), ops_with_default(False))
