import numpy as np
import pytest

import runnel as tf


@pytest.mark.parametrize("count", [3, 4, 40])
def test_the_rows_of_a_partition_keep_their_order(count):
    rng = np.random.default_rng(0)
    data, numbers = rng.standard_normal((50, 20, 2)), rng.integers(0, 3, (50, 20)).astype(np.int32)
    parts = tf.dynamic_partition(data, numbers, count)
    assert len(parts) == count
    for i, part in enumerate(parts):
        assert np.array_equal(part, data[numbers == i])
