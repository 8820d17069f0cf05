"""Where the memory of large tensors lies."""

import numpy as np
import pytest

import runnel as tf


@pytest.mark.parametrize("shape", [(100_000,), (300, 500), (1, 200_000, 1)])
def test_large_arrays_are_copied_to_where_xla_can_read_them(shape):
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)[::-1]
    tensor = tf.constant(values)
    assert tensor.numpy().flags.c_contiguous
    assert tensor._value.ctypes.data % 64 == 0
    np.testing.assert_array_equal(tensor, values)
    values[0] = -1.0
    assert not np.any(tensor.numpy() == -1.0)


def test_bytes_in_another_order_are_turned_round():
    values = np.arange(100_000, dtype=">i4")
    assert tf.constant(values).dtype == tf.int32
    np.testing.assert_array_equal(tf.constant(values), values)
