"""Keras in programs that build a graph: TensorFlow's answers, and sessions."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf
from tests.children import run
from tests.golden.cases import assert_answer, cases, recorded

_ANSWERS = recorded("keras_in_graphs")


@pytest.mark.filterwarnings("default")  # about files of older kinds
@pytest.mark.parametrize("name, case", cases("keras_in_graphs").items())
def test_answers(name, case):
    assert_answer(case, tf, _ANSWERS[name], warnings=False)


def test_gradients_of_symbolic_tensors_are_those_of_the_graph():
    with tf.Graph().as_default():
        x = tf.keras.Input([2])
        hidden = tf.keras.layers.Dense(2, kernel_initializer="ones")(x)
        model = tf.keras.Model(x, hidden)
        slope = tf.compat.v1.gradients(tf.reduce_sum(hidden**2), x)
        found = tf.compat.v1.keras.backend.get_session().run(slope, {x: [[1.0, 2.0]]})
        np.testing.assert_allclose(found[0], [[12.0, 12.0]])
        assert model.predict(np.ones([1, 2])).tolist() == [[2.0, 2.0]]


def test_values_belong_to_the_session():
    K = tf.compat.v1.keras.backend
    with tf.Graph().as_default():
        layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
        layer(tf.keras.Input([1]))
        first, second = tf.compat.v1.Session(), tf.compat.v1.Session()
        K.set_session(first)
        layer.set_weights([[[5.0]], [0.0]])
        K.set_session(second)
        assert layer.get_weights()[0] == [[1.0]]
        K.set_session(first)
        assert layer.get_weights()[0] == [[5.0]]


def test_a_program_switches_eager_execution_off():
    run(
        """
import numpy as np, runnel as tf
tf.compat.v1.disable_eager_execution()
K = tf.compat.v1.keras.backend
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,), activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
model.fit(np.ones([4, 2]), np.ones([4]), epochs=1, verbose=0)
assert K.get_session().run(model.output, {model.input: np.ones([1, 2])}).shape == (1, 1)
assert not tf.executing_eagerly()
K.clear_session()
""",
        check=True,
    )
