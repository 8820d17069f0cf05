"""`tf.nn.RNNCell*Wrapper`; the numbers are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runnel as tf

X = tf.fill([2, 6], 0.05)
STATE = [tf.ones([2, 6])]


def cell(units: int = 6) -> Any:
    return tf.keras.layers.SimpleRNNCell(
        units, kernel_initializer="ones", recurrent_initializer="zeros"
    )


def test_a_residual_cell_adds_its_inputs() -> None:
    output, _ = tf.nn.RNNCellResidualWrapper(cell())(X, STATE)
    np.testing.assert_allclose(output, np.full((2, 6), 0.3413), atol=1e-4)
    joined = tf.nn.RNNCellResidualWrapper(cell(), residual_fn=lambda i, o: i * o)
    np.testing.assert_allclose(joined(X, STATE)[0], np.full((2, 6), 0.0146), atol=1e-4)


def test_inputs_that_do_not_fit_the_outputs_cannot_be_added() -> None:
    with pytest.raises(ValueError, match="incompatible"):
        tf.nn.RNNCellResidualWrapper(cell(3))(X, [tf.ones([2, 3])])


def test_the_call_of_a_wrapper_builds_nothing() -> None:
    made = [tf.nn.RNNCellResidualWrapper(cell()), tf.nn.RNNCellDeviceWrapper(cell(), "/CPU:0")]
    for wrapped in made:
        with pytest.raises(AttributeError, match="kernel"):
            wrapped.call(X, STATE)
        wrapped.build(X.shape)
        assert wrapped.call(X, STATE)[0].shape == [2, 6]


def test_dropout_is_that_of_the_seed() -> None:
    wrapped = tf.nn.RNNCellDropoutWrapper(cell(), output_keep_prob=0.5, seed=3)
    kept = wrapped(X, STATE)[0].numpy()[0] > 0
    assert kept.tolist() == [False, False, True, False, True, False]
    np.testing.assert_allclose(wrapped(X, STATE)[1][0], np.full((2, 6), 0.2913), atol=1e-4)


def test_variational_dropout_drops_the_same_at_every_step() -> None:
    wrapped = tf.nn.RNNCellDropoutWrapper(
        cell(), output_keep_prob=0.5, variational_recurrent=True, dtype=tf.float32, seed=3
    )
    first, second = wrapped(X, STATE)[0], wrapped(X, STATE)[0]
    np.testing.assert_array_equal(first, second)
    assert 0 < np.count_nonzero(first) < 12


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"input_keep_prob": 2.0}, "between 0 and 1: 2"),
        ({"input_keep_prob": 0.5, "variational_recurrent": True}, "dtype must be provided"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.nn.RNNCellDropoutWrapper(cell(), **options)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.nn.RNNCellDropoutWrapper(cell(), state_keep_prob=0.5, seed=1, name="a"),
        lambda: tf.nn.RNNCellResidualWrapper(cell(), name="a"),
        lambda: tf.nn.RNNCellDeviceWrapper(cell(), "/CPU:0", name="a"),
    ],
)
def test_a_wrapper_is_made_again_from_its_config(make: Any) -> None:
    wrapper = make()
    again = type(wrapper).from_config(wrapper.get_config())
    assert again.get_config() == wrapper.get_config()
    assert tf.keras.layers.RNN(again)(tf.ones([2, 4, 6])).shape == [2, 6]
    assert len(again.trainable_weights) == 3
    assert again.get_losses_for(None) == again.get_updates_for(None) == []
    output, _ = again.apply(X, STATE)
    assert output.shape == [2, 6]
