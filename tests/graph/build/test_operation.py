"""What an operation tells of itself; the answers are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.op.registry import gradients
from runnel.core.protos import messages

CONV = {
    "T": tf.float32,
    "data_format": b"NHWC",
    "dilations": [1, 1, 1, 1],
    "explicit_paddings": [],
    "padding": b"SAME",
    "strides": [1, 1, 1, 1],
    "use_cudnn_on_gpu": True,
}


def _conv() -> Any:
    return tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "SAME", name="conv").op


def _same(found: Any, wanted: Any) -> bool:
    return type(found) is type(wanted) and found == wanted


def test_attributes_are_given_as_tensorflow_gives_them() -> None:
    with tf.Graph().as_default():
        op = _conv()
        assert sorted(op.node_def.attr) == sorted(CONV)
        for name, value in CONV.items():
            assert _same(op.get_attr(name), value), name
        several = tf.identity_n([tf.ones([]), tf.constant(1)])[0].op
        assert _same(several.get_attr("T"), [tf.float32, tf.int32])
        words = tf.RaggedTensor.from_row_splits([1.0], [0, 1]).to_tensor().op
        assert _same(words.get_attr("row_partition_types"), [b"ROW_SPLITS"])


def test_a_float_among_the_attributes_is_of_single_precision() -> None:
    with tf.Graph().as_default():
        op = tf.nn.leaky_relu(tf.ones([2]), 0.3).op
    assert op.get_attr("alpha") == float(np.float32(0.3))


def test_an_attribute_has_its_name_in_graphs() -> None:
    with tf.Graph().as_default():
        op = tf.squeeze(tf.ones([1, 2]), [0]).op
    assert op.get_attr("squeeze_dims") == [0]
    with pytest.raises(ValueError, match="'axis'"):
        op.get_attr("axis")


def test_shapes_tensors_and_functions_among_the_attributes_are_messages() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.raw_ops.Placeholder(dtype=tf.float32, shape=[None, 2])
        constant = tf.constant([[1.0, 2.0]])
        (y,) = tf.while_loop(lambda y: tf.reduce_sum(y) < 9.0, lambda y: (y + 1.0,), [constant])
    shape = x.op.get_attr("shape")
    assert isinstance(shape, messages.TensorShapeProto)
    assert tf.TensorShape(shape).as_list() == [None, 2]
    np.testing.assert_array_equal(tf.make_ndarray(constant.op.get_attr("value")), [[1.0, 2.0]])
    assert _same(y.op.get_attr("T"), [tf.int32, tf.int32, tf.float32])
    assert tf.TensorShape(y.op.get_attr("output_shapes")[-1]).as_list() == [1, 2]
    body = y.op.get_attr("body")
    assert isinstance(body, messages.NameAttrList)
    library = graph.as_graph_def().library.function
    assert body.name in [function.signature.name for function in library]
    assert y.op.get_attr("_lower_using_switch_merge") is True


def test_an_unknown_attribute_is_named() -> None:
    with tf.Graph().as_default():
        op = _conv()
    with pytest.raises(ValueError, match=r"'conv'.*'nonsense'"):
        op.get_attr("nonsense")
    with pytest.raises(ValueError, match="'_class'"):
        op.get_attr("_class")


def test_inputs_are_a_tuple_and_outputs_and_control_inputs_lists() -> None:
    with tf.Graph().as_default() as graph:
        x, y = tf.ones([2], name="x"), tf.constant([1.0, 2.0])
        with tf.control_dependencies([x]):
            op = tf.identity(y).op
    assert [type(v) for v in (op.inputs, op.outputs, op.control_inputs)] == [tuple, list, list]
    assert op.control_inputs == [x.op]
    assert op.values() == tuple(op.outputs)
    assert op.graph is graph
    assert x.op.control_inputs == []


def test_the_declaration_is_a_message() -> None:
    with tf.Graph().as_default():
        op = tf.reduce_sum(tf.ones([2, 3]), 1).op
    declared = op.op_def
    assert isinstance(declared, messages.OpDef)
    assert declared.name == "Sum"
    assert [arg.name for arg in declared.input_arg] == ["input", "reduction_indices"]
    assert [arg.type_attr for arg in declared.output_arg] == ["T"]
    assert {attr.name: attr.type for attr in declared.attr} == {
        "keep_dims": "bool",
        "T": "type",
        "Tidx": "type",
    }


def test_the_declaration_of_a_loop_stays_when_it_keeps_values_for_its_gradient() -> None:
    @tf.function
    def fn(x: tf.Tensor) -> tf.Tensor:
        y = tf.while_loop(lambda y: y < 9.0, lambda y: (y * y,), [x])[0]
        before = y.op.op_def
        slope = tf.gradients(y, x)[0]
        assert y.op.op_def == before
        assert [arg.type_list_attr for arg in before.output_arg] == ["T"]
        return slope

    assert fn(tf.constant(2.0)) == 32.0


def _gradient_of_conv(op: Any, dy: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """As a user writes it, with the attributes handed on."""
    names = ("strides", "padding", "explicit_paddings", "data_format", "dilations")
    how = {name: op.get_attr(name) for name in names}
    x, f = op.inputs
    return (
        tf.raw_ops.Conv2DBackpropInput(
            input_sizes=tf.shape(x), filter=f, out_backprop=dy, use_cudnn_on_gpu=True, **how
        ),
        tf.raw_ops.Conv2DBackpropFilter(
            input=x, filter_sizes=tf.shape(f), out_backprop=3.0 * dy, **how
        ),
    )


@pytest.mark.parametrize("wrap", [lambda fn: fn, tf.function], ids=["eager", "traced"])
def test_a_gradient_function_hands_attributes_on(
    wrap: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(gradients, "Conv2D", _gradient_of_conv)
    x, f = tf.ones([1, 3, 3, 1]), tf.ones([1, 1, 1, 1])

    @wrap
    def slopes() -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, f])
            y = tf.nn.conv2d(x, f, 1, "VALID")
        return tape.gradient(y, [x, f])

    dx, df = slopes()
    np.testing.assert_array_equal(dx, np.ones([1, 3, 3, 1]))
    np.testing.assert_array_equal(df, [[[[27.0]]]])


@pytest.mark.parametrize("padding", ["SAME", b"SAME"])
def test_a_padding_may_be_bytes(padding: Any) -> None:
    x = tf.ones([1, 4, 4, 2])
    assert tf.nn.conv2d(x, tf.ones([2, 2, 2, 3]), 1, padding).shape == [1, 4, 4, 3]
    assert tf.nn.convolution(x, tf.ones([2, 2, 2, 3]), padding=padding).shape == [1, 4, 4, 3]
    assert tf.nn.max_pool2d(x, 2, 2, padding).shape == [1, 2, 2, 2]
    assert tf.nn.avg_pool2d(x, 2, 2, padding).shape == [1, 2, 2, 2]
    assert tf.nn.depthwise_conv2d(x, tf.ones([2, 2, 2, 1]), [1] * 4, padding).shape == [1, 4, 4, 2]


def test_a_constant_is_made_of_a_message() -> None:
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        y = tf.raw_ops.Const(value=x.op.get_attr("value"), dtype=x.op.get_attr("dtype"))
    assert y.shape == [2]
    np.testing.assert_array_equal(tf.get_static_value(y), [1.0, 2.0])
