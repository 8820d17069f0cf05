"""Tests of runnel/ops/math/division.py beyond the tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import runnel as tf

INTEGERS = st.integers(-(2**31), 2**31 - 1)


@given(INTEGERS, INTEGERS.filter(bool))
def test_quotient_and_remainder_make_the_dividend_again(x, y):
    a, b = tf.constant(x), tf.constant(y)
    assert ((a // b) * b + a % b).numpy() == x
    assert (tf.truncatediv(a, b) * b + tf.truncatemod(a, b)).numpy() == x


@given(st.integers(-1000, 1000), st.integers(-1000, 1000).filter(bool))
def test_floor_division_is_pythons(x, y):
    assert (tf.constant(x) // y).numpy() == x // y
    assert (tf.constant(x) % y).numpy() == x % y


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64"])
def test_integer_division_by_zero_is_an_error(dtype):
    one, zero = tf.constant(1, dtype), tf.constant(0, dtype)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not be zero"):
        one // zero
    with pytest.raises(tf.errors.InvalidArgumentError, match="not be zero"):
        one % zero


def test_the_gradient_of_divide_no_nan_is_zero_where_the_divisor_is():
    x, y = tf.constant([1.0, 2.0]), tf.constant([0.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.math.divide_no_nan(x, y)
    dx, dy = tape.gradient(z, [x, y])
    assert dx.numpy().tolist() == [0.0, 0.25]
    assert dy.numpy().tolist() == [0.0, -0.125]


def test_integers_are_divided_as_floats():
    assert (tf.constant(1) / tf.constant(2)).dtype is tf.float64
    assert (tf.constant(1, tf.int16) / tf.constant(2, tf.int16)).dtype is tf.float32
    assert np.isinf((tf.constant(1) / tf.constant(0)).numpy())


def test_a_remainder_of_zero_has_the_sign_of_the_first_argument():
    x, y = [-0.0, 4.0, -4.0, 0.0, -6.0], [3.0, -2.0, 2.0, -3.0, -3.0]
    for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64):
        pair = tf.constant(x, dtype), tf.constant(y, dtype)
        for function in (tf.math.floormod, tf.function(tf.math.floormod)):
            found = function(*pair)
            assert found.dtype is dtype
            assert np.signbit(found.numpy()).tolist() == [True, False, True, False, True]
