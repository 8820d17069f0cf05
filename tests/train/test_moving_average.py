"""tf.train.ExponentialMovingAverage, with answers of TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf


@pytest.mark.parametrize(
    ("num_updates", "wanted"),
    [
        (None, [[1, 2], [2, 4], [3.9, 7.8]]),
        (3, [[1, 2], [7.923077, 15.846154], [16.976332, 33.952663]]),
    ],
)
def test_averages_follow_their_variables(num_updates, wanted) -> None:
    variable = tf.Variable([1.0, 2.0], name="v")
    averages = tf.train.ExponentialMovingAverage(0.9, num_updates=num_updates)
    assert averages.average(variable) is None
    for value in wanted:
        averages.apply([variable])
        np.testing.assert_allclose(averages.average(variable), value, rtol=1e-5)
        variable.assign_add([10.0, 20.0])
    assert averages.average(variable).name == "v/ExponentialMovingAverage:0"
    assert list(averages.variables_to_restore([variable])) == ["v/ExponentialMovingAverage"]


def test_only_floating_variables_have_averages() -> None:
    averages = tf.train.ExponentialMovingAverage(0.9)
    for wrong in (tf.Variable(3), tf.constant(1.0)):
        with pytest.raises(TypeError, match="ariable"):
            averages.apply([wrong])
