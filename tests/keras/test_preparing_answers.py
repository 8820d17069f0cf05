"""Utilities and preprocessing of Keras must answer as tf_keras does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

_SUBJECTS = ("keras_utils", "keras_preprocessing", "keras_preparing", "keras_feature_space")
_CASES = [(subject, case) for subject in _SUBJECTS for case in cases(subject).values()]
_ANSWERS = {subject: recorded(subject) for subject in _SUBJECTS}


@pytest.mark.filterwarnings("default")  # some cases ask for what Keras warns of
@pytest.mark.parametrize(
    ("subject", "case"), _CASES, ids=[f"{subject}-{case.__name__}" for subject, case in _CASES]
)
def test_as_tf_keras(subject: str, case: Callable[[Any], Any]) -> None:
    assert_answer(case, tf, _ANSWERS[subject][case.__name__], warnings=False)
