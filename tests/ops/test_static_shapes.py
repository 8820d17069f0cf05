"""What functions know of shapes while they are traced, as TensorFlow knows it."""

from __future__ import annotations

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

ANSWERS = recorded("static_shapes")


@pytest.mark.parametrize("name", cases("static_shapes"))
def test_as_much_is_known_as_in_tensorflow(name: str) -> None:
    assert_answer(cases("static_shapes")[name], tf, ANSWERS[name], warnings=False)
