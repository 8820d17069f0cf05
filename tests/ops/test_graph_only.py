"""Ops that no public function makes, with handles and files: TensorFlow's answers."""

from __future__ import annotations

import pytest

import runnel as tf
from tests.golden.cases import Case, assert_answer, cases, recorded
from tests.tables import table

_RECORDED = recorded("raw_ops")


@table("case", list(cases("raw_ops").values()), ids=lambda case: case.__name__)
@pytest.mark.smoke
def test_a_program_of_raw_ops_agrees_with_tensorflow(case: Case) -> None:
    assert_answer(case, tf, _RECORDED[case.__name__], warnings=False)
