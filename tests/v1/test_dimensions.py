"""What programs of TensorFlow 1 get from shapes."""

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

WANTED = recorded("v1_dimensions")


@pytest.mark.parametrize("name", cases("v1_dimensions"))
def test_dimensions_are_as_in_tensorflow(name):
    assert_answer(cases("v1_dimensions")[name], tf, WANTED[name])
