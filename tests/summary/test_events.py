"""The events of a program are those that TensorFlow writes."""

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

CASES, WANT = cases("summary"), recorded("summary")


@pytest.mark.parametrize("name", CASES)
def test_events_are_tensorflows(name: str) -> None:
    assert_answer(CASES[name], tf, WANT[name], warnings=False)  # TensorBoard's own calls warn
