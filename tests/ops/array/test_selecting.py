import numpy as np
import pytest

import runnel as tf


@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize("on, off", [(1.0, 0.0), (3, -2)])
def test_many_one_hot_vectors_are_made_like_few(axis, on, off):
    indices = np.random.default_rng(0).integers(-1, 12, (200, 20))
    many = tf.one_hot(indices, 10, on, off, axis=axis)
    few = np.stack([tf.one_hot(row, 10, on, off) for row in indices])
    assert np.array_equal(many, np.moveaxis(few, -1, axis))
