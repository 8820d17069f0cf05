"""Which graphs are so small that they are never compiled."""

from typing import Any

import numpy as np
import pytest

import runnel as tf


def depthwise(x: Any) -> Any:
    return tf.nn.depthwise_conv2d(x, tf.ones([3, 3, x.shape[-1], 1]), [1, 1, 1, 1], "SAME")


@pytest.mark.parametrize(
    "fn, shape, dtype, small",
    [
        (depthwise, (1, 6, 6, 17), "float32", True),
        (depthwise, (1, 28, 28, 17), "float32", False),
        (tf.square, (28, 28, 17), "float32", True),
        (tf.square, (28, 28, 17), "float16", False),
        (tf.square, (28, 28, 17), "bfloat16", False),
        (tf.square, (28, 28, 17), "int16", True),
        (tf.square, (6, 6, 17), "float16", True),
    ],
)
def test_what_numpy_is_slow_at_is_compiled_when_it_comes_again(
    fn: Any, shape: Any, dtype: str, small: bool
) -> None:
    function = tf.function(fn)
    x = tf.ones(shape, dtype)
    results = [function(x).numpy() for _ in range(4)]
    assert ("not compiled" in str(function.explain())) is small
    np.testing.assert_array_equal(results[-1], results[0])
