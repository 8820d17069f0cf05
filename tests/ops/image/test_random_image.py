"""The random functions of `tf.image` against TensorFlow's answers."""

from __future__ import annotations

import pytest

import runnel as tf
from tests.golden.cases import Case, assert_answer, cases, recorded

ANSWERS = recorded("random_image")


@pytest.mark.parametrize("case", cases("random_image").values(), ids=lambda case: case.__name__)
def test_the_answer_is_tensorflows(case: Case) -> None:
    assert_answer(case, tf, ANSWERS[case.__name__])
