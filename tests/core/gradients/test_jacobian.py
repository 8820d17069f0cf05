"""`GradientTape.jacobian` and `batch_jacobian` against TensorFlow's answers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import runnel as tf
from runnel.core.gradients import jacobian
from tests.golden.cases import Case, assert_answer, cases, recorded

ANSWERS = recorded("jacobian")


@pytest.mark.parametrize("case", cases("jacobian").values(), ids=lambda case: case.__name__)
def test_the_answer_is_tensorflows(case: Case) -> None:
    assert_answer(
        case, tf, ANSWERS[case.__name__], warnings=False
    )  # TensorFlow warns that it traces each time


def test_the_loop_needs_no_persistent_tape() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.jacobian(y, x, experimental_use_pfor=False).numpy().tolist() == [
        [2.0, 0.0],
        [0.0, 4.0],
    ]


def test_many_rows_go_back_in_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jacobian, "_AT_ONCE", 20)
    x = tf.constant(np.arange(10, dtype=np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert np.array_equal(tape.jacobian(y, x).numpy(), np.diag(2.0 * np.arange(10)))


def test_an_op_that_cannot_be_vectorised_goes_row_by_row() -> None:
    @tf.custom_gradient
    def f(x: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
        return x * x, lambda dy: tf.constant(dy.numpy() * 7.0)

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.jacobian(y, x).numpy().tolist() == [[7.0, 0.0], [0.0, 7.0]]


def test_the_target_must_be_a_tensor() -> None:
    with tf.GradientTape() as tape:
        y = tf.Variable(1.0) * 2.0
    with pytest.raises(TypeError, match="target of a Jacobian must be a tensor"):
        tape.jacobian([y], y)
