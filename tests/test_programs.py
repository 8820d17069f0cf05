"""Small programs of all kinds against TensorFlow's answers."""

from __future__ import annotations

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

GOLDEN = recorded("programs")


@pytest.mark.parametrize("name", cases("programs"))
def test_program_gives_tensorflows_answer(name: str) -> None:
    assert_answer(cases("programs")[name], tf, GOLDEN[name], warnings=False)
