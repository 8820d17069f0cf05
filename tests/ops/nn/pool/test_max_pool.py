"""What the tables cannot say of max pooling."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf
from runnel.core.op import eager
from runnel.core.op.raw import raw_ops


def compiled(op_name: str, *inputs: np.ndarray, **attrs: object) -> np.ndarray:
    op = getattr(raw_ops, op_name)
    return eager.run_compiled(op, list(inputs), {**op.defaults, **attrs})


def test_a_tie_goes_to_the_first_element_of_the_window() -> None:
    x = tf.ones([1, 2, 2, 1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, 2, 2, "VALID")
    assert tape.gradient(y, x).numpy().ravel().tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_windows_too_large_to_unroll_give_the_same_when_compiled(padding: str) -> None:
    attrs = {"ksize": (1, 9, 9, 1), "strides": (1, 3, 3, 1), "padding": padding}
    x = np.random.default_rng(0).normal(size=(2, 12, 11, 3)).astype(np.float32)
    y = tf.raw_ops.MaxPool(input=x, **attrs).numpy()
    np.testing.assert_array_equal(compiled("MaxPool", x, **attrs), y)
    dx = tf.raw_ops.MaxPoolGrad(orig_input=x, orig_output=y, grad=y, **attrs).numpy()
    np.testing.assert_allclose(compiled("MaxPoolGrad", x, y, y, **attrs), dx, rtol=1e-5, atol=1e-6)
    again = tf.raw_ops.MaxPoolGradGrad(orig_input=x, orig_output=y, grad=x, **attrs).numpy()
    np.testing.assert_array_equal(again, y)
    np.testing.assert_array_equal(compiled("MaxPoolGradGrad", x, y, x, **attrs), y)


@pytest.mark.parametrize("size, stride", [(3, 1), (3, 2), (5, 2), (2, 3), (2, 2), (3, 3), (1, 1)])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_what_arrives_at_windows_goes_to_the_same_places_when_compiled(
    size: int, stride: int, padding: str
) -> None:
    random = np.random.default_rng(3)
    x = random.integers(0, 4, (2, 9, 8, 3)).astype(np.float32)  # with ties
    how = {"ksize": (1, size, size, 1), "strides": (1, stride, stride, 1), "padding": padding}
    y = tf.raw_ops.MaxPool(input=x, **how).numpy()
    dy = random.integers(-9, 9, y.shape).astype(np.float32)
    found = compiled("MaxPoolGrad", x, y, dy, **how)
    want = tf.raw_ops.MaxPoolGrad(orig_input=x, orig_output=y, grad=dy, **how)
    np.testing.assert_array_equal(np.ravel(found), np.ravel(want))


def test_padding_never_wins() -> None:
    y = tf.nn.max_pool2d(-tf.ones([1, 3, 3, 1]), 2, 2, "SAME")
    assert y.numpy().ravel().tolist() == [-1.0] * 4
