"""Programs about tf.data that must answer as TensorFlow does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

pytestmark = pytest.mark.smoke

_SUBJECTS = ("data", "data_errors")
_ANSWERS = {name: answer for subject in _SUBJECTS for name, answer in recorded(subject).items()}
_CASES = [case for subject in _SUBJECTS for case in cases(subject).values()]


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.__name__)
def test_as_tensorflow(case: Callable[[Any], Any]) -> None:
    assert_answer(case, tf, _ANSWERS[case.__name__], warnings=False)
