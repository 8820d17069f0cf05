"""`Operation.experimental_set_type`."""

import pytest

import runnel as tf
from runnel.core.protos import messages


def test_a_full_type_stands_in_the_node_of_its_operation() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0, name="x")
        product = messages.FullTypeDef(type_id=3, args=[messages.FullTypeDef(type_id=1000)])
        x.op.experimental_set_type(product)
    (node,) = graph.as_graph_def().node
    assert node.experimental_type.type_id == 3
    assert node.experimental_type.args[0].type_id == 1000
    with pytest.raises(ValueError, match="TFT_PRODUCT"):
        x.op.experimental_set_type(messages.FullTypeDef(type_id=1000))
