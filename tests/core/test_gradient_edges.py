"""The gradients at the edges are TensorFlow's, eager and in functions."""

from __future__ import annotations

import pytest

import runnel as tf
from tests.golden.cases import Case, assert_answer, cases, recorded

pytestmark = pytest.mark.smoke

ANSWERS = recorded("gradient_edges")


@pytest.mark.parametrize("case", cases("gradient_edges").values(), ids=lambda case: case.__name__)
def test_the_answer_is_tensorflows(case: Case) -> None:
    assert_answer(case, tf, ANSWERS[case.__name__], warnings=False)
