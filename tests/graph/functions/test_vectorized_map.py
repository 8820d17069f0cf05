"""`tf.vectorized_map` against TensorFlow's answers."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf
from tests.golden.cases import Case, assert_answer, cases, recorded

ANSWERS = recorded("vectorized_map")


@pytest.mark.parametrize("case", cases("vectorized_map").values(), ids=lambda case: case.__name__)
def test_the_answer_is_tensorflows(case: Case) -> None:
    assert_answer(
        case, tf, ANSWERS[case.__name__], warnings=False
    )  # TensorFlow warns of its own fallbacks


def test_an_op_of_the_host_takes_the_elements_in_turn() -> None:
    found = tf.vectorized_map(
        lambda x: tf.raw_ops.Unique(x=x)[1], tf.constant([[1, 1, 2], [3, 4, 3]])
    )
    assert found.numpy().tolist() == [[0, 0, 1], [0, 1, 0]]


def test_without_a_fallback_such_an_op_is_named() -> None:
    with pytest.raises(ValueError, match=r"'Unique'.*cannot be vectorised"):
        tf.vectorized_map(
            lambda x: tf.raw_ops.Unique(x=x)[1],
            tf.constant([[1, 1, 2]]),
            fallback_to_while_loop=False,
        )


def test_no_elements_give_no_results() -> None:
    found = tf.vectorized_map(lambda x: x * 2.0, tf.constant(np.zeros((0, 3), np.float32)))
    assert found.shape == (0, 3)


def test_elements_of_different_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match=r"same first dimension, got \[2, 3\]"):
        tf.vectorized_map(lambda e: e[0] + e[1], (tf.zeros([2]), tf.zeros([3])))


def test_a_scalar_has_no_elements() -> None:
    with pytest.raises(ValueError, match="one dimension or more"):
        tf.vectorized_map(lambda x: x, tf.constant(1.0))


@pytest.mark.parametrize("warn", [True, False])
def test_the_warning_of_a_fallback_can_be_switched_off(
    warn: bool, caplog: pytest.LogCaptureFixture
) -> None:
    tf.vectorized_map(lambda x: tf.strings.as_string(x), tf.constant([1, 22]), warn=warn)
    assert ("AsString" in caplog.text) is warn
