"""Programs about tf.function that must answer as TensorFlow does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

pytestmark = pytest.mark.smoke

_ANSWERS = recorded("function")


@pytest.mark.parametrize("case", cases("function").values(), ids=lambda case: case.__name__)
def test_as_tensorflow(case: Callable[[Any], Any]) -> None:
    assert_answer(case, tf, _ANSWERS[case.__name__])
