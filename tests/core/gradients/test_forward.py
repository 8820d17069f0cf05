"""`tf.autodiff.ForwardAccumulator` against TensorFlow's answers."""

from __future__ import annotations

import pytest

import runnel as tf
from tests.golden.cases import Case, assert_answer, cases, recorded

pytestmark = pytest.mark.smoke

ANSWERS = recorded("forward")


@pytest.mark.parametrize("case", cases("forward").values(), ids=lambda case: case.__name__)
def test_the_answer_is_tensorflows(case: Case) -> None:
    assert_answer(case, tf, ANSWERS[case.__name__])
