"""Programs with data structures of all kinds that must answer as TensorFlow does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

_SUBJECTS = ("ragged", "dispatch", "extension_type", "structures", "structure_methods")
_CASES = [
    pytest.param(subject, case, id=f"{subject}-{name}")
    for subject in _SUBJECTS
    for name, case in cases(subject).items()
]
_ANSWERS = {subject: recorded(subject) for subject in _SUBJECTS}


@pytest.mark.parametrize(("subject", "case"), _CASES)
def test_as_tensorflow(subject: str, case: Callable[[Any], Any]) -> None:
    assert_answer(case, tf, _ANSWERS[subject][case.__name__])
