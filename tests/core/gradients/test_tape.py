"""What the gradient function of an op that ran eagerly learns of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import runnel as tf
from runnel.core.op.registry import gradients
from runnel.core.protos import messages


def _seen(monkeypatch: pytest.MonkeyPatch, name: str, fn: Callable[[Any], Any], x: Any) -> Any:
    """The op that a gradient function gets."""
    found: list[Any] = []

    def spy(op: Any, *dys: Any) -> list[None]:
        found.append(op)
        return [None] * len(op.inputs)

    monkeypatch.setitem(gradients, name, spy)
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)
    tape.gradient(y, x)
    return found[0]


def test_attributes_of_an_eager_op_are_given_as_tensorflow_gives_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    op = _seen(monkeypatch, "Einsum", lambda x: tf.einsum("ij,ij->i", x, x), [[1.0]])
    assert [op.get_attr(name) for name in ("equation", "N", "T")] == [b"ij,ij->i", 2, tf.float32]
    op = _seen(monkeypatch, "Cast", lambda x: tf.cast(x, tf.float64), [1.0])
    assert [op.get_attr(name) for name in ("SrcT", "DstT")] == [tf.float32, tf.float64]
    op = _seen(monkeypatch, "Squeeze", lambda x: tf.squeeze(x, [0]), [1.0])
    assert op.get_attr("squeeze_dims") == [0]
    op = _seen(monkeypatch, "EnsureShape", lambda x: tf.ensure_shape(x, [None]), [1.0])
    assert isinstance(op.get_attr("shape"), messages.TensorShapeProto)
    op = _seen(monkeypatch, "LeakyRelu", lambda x: tf.nn.leaky_relu(x, 0.3), [1.0])
    assert op.get_attr("alpha") == 0.3
    assert op.type == "LeakyRelu"


def test_an_unknown_attribute_of_an_eager_op_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    op = _seen(monkeypatch, "Squeeze", lambda x: tf.squeeze(x, [0]), [1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="'axis'"):
        op.get_attr("axis")
