"""Programs with control flow on tensors that must answer as TensorFlow does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

pytestmark = pytest.mark.smoke

_ANSWERS = recorded("autograph")


@pytest.mark.parametrize("case", cases("autograph").values(), ids=lambda case: case.__name__)
def test_as_tensorflow(case: Callable[[Any], Any]) -> None:
    assert_answer(case, tf, _ANSWERS[case.__name__])
