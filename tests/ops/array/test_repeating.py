"""`tf.repeat`: what is known of a shape stays known, and what is not is found when it runs."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf

_SHAPES = ([None, 3, 4], [None, None, 4], [None, 0, 4], [None, None, None], [3, None, 4])


@pytest.mark.parametrize("dims", _SHAPES)
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_repeat_keeps_the_sizes_that_are_known(dims: list, count: int, axis: int) -> None:
    repeated = tf.function(lambda x: tf.repeat(x, count, axis=axis), autograph=False)
    traced = repeated.get_concrete_function(tf.TensorSpec(dims))
    want = [None if d is None else d * (count if i == axis else 1) for i, d in enumerate(dims)]
    assert traced.structured_outputs.shape.as_list() == want
    for size in (0, 2):
        shape = [size if d is None else d for d in dims]
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        np.testing.assert_array_equal(traced(tf.constant(x)), np.repeat(x, count, axis))
