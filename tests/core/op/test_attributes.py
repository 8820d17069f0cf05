"""Which values attributes may have, against TensorFlow's registrations."""

from __future__ import annotations

import pytest

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.ops.choices import AtLeast
from tests.samples.answers import op_defs


def test_declared_choices_are_those_of_the_registrations():
    wrong, count = [], 0
    for name, registered in op_defs().items():
        op = getattr(raw_ops, name, None)
        for key, allowed in getattr(op, "allowed", {}).items():
            if isinstance(allowed, AtLeast):
                want = AtLeast(registered.get("minimum", {}).get(key))
            elif op.kinds.get(key) == "str":
                want = frozenset(registered["attrs"][key][2] or ())
            else:
                continue
            count += 1
            wrong += [f"{name}: {key} {want}"] if allowed != want else []
    assert not wrong and count > 140, (count, wrong)


def test_declared_dtypes_of_attributes_are_among_those_of_the_registrations():
    wrong, count = [], 0
    for name, registered in op_defs().items():
        op = getattr(raw_ops, name, None)
        for key, kind in getattr(op, "kinds", {}).items():
            choices = registered["attrs"].get(key, (None, None, None))[2]
            if kind != "DType" or choices is None:
                continue
            count += 1
            declared = {dtype.name for dtype in op.allowed.get(key, ())}
            wrong += [] if declared and declared <= {*choices} else [f"{name}: {key} {choices}"]
    assert not wrong and count > 70, (count, wrong)


def test_what_an_attribute_may_not_be_is_said_at_once():
    x = tf.zeros([1, 2, 2, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"one of \['NCHW', 'NHWC'\], got"):
        tf.raw_ops.BiasAdd(value=x, bias=[1.0], data_format="nhwc")
    with tf.Graph().as_default(), pytest.raises(ValueError, match="at least 5, or so many, got"):
        tf.raw_ops.MaxPool3DGradGrad(
            orig_input=[[[[[1.0]]]]],
            orig_output=[[[[[1.0]]]]],
            grad=[[[[[1.0]]]]],
            ksize=[1] * 5,
            strides=[1, 1, 1],
            padding="SAME",
        )
