"""Tests of runnel/ops/math/powers.py beyond the tables."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf


def gradient(fn, *values):
    inputs = [tf.constant(v) for v in values]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        result = fn(*inputs)
    return [g.numpy() for g in tape.gradient(result, inputs)]


def test_the_power_of_zero_or_less_does_not_depend_on_the_exponent():
    dx, dy = gradient(tf.pow, [0.0, -2.0, 2.0], [2.0, 2.0, 2.0])
    assert dx.tolist() == [0.0, -4.0, 4.0]
    assert dy.tolist()[:2] == [0.0, 0.0]
    assert dy[2] == pytest.approx(4 * np.log(2))


def test_the_root_of_zero_has_an_infinite_slope():
    (dx,) = gradient(tf.sqrt, [0.0])
    assert np.isinf(dx[0])


def test_where_keeps_a_value_that_is_no_number_out_but_not_its_gradient():
    # As in TensorFlow: the branch not taken sends 0 * inf.
    (dx,) = gradient(lambda x: tf.where(x > 0, tf.math.log(x), 0.0), [0.0, 4.0])
    assert np.isnan(dx[0])
    assert dx[1] == 0.25


@pytest.mark.parametrize("function", [tf.sqrt, tf.math.rsqrt, tf.math.reciprocal])
@pytest.mark.parametrize("mode", [lambda f: f, tf.function])
def test_the_gradient_of_a_root_is_zero_where_nothing_arrives(function, mode):
    # As in TensorFlow, though the slope there has no end.
    def dx(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.where(x > 0, function(x), 0.0)
        return tape.gradient(y, x)

    assert mode(dx)(tf.zeros([2])).numpy().tolist() == [0.0, 0.0]


def test_integers_have_no_negative_powers():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Pow: `y` must not be negative"):
        tf.constant(2) ** -1


def test_roots_of_integers_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Sqrt: `x` must be one of"):
        tf.sqrt(4)
