"""`tf.GradientTape`: TensorFlow's recorded answers, then what only holds here."""

from __future__ import annotations

from typing import Any

import pytest

import runnel as tf
from tests.golden.cases import Case, assert_answer, cases, recorded

ANSWERS = recorded("gradient_tape")


@pytest.mark.parametrize("case", cases("gradient_tape").values(), ids=lambda case: case.__name__)
def test_the_answer_is_tensorflows(case: Case) -> None:
    assert_answer(case, tf, ANSWERS[case.__name__])
