"""The text of tensors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import runnel as tf
from runnel.ops.strings.formatting import format, quoted, summary


@given(st.floats(width=32, allow_nan=False))
def test_the_text_of_a_float_gives_the_float_back(value: float) -> None:
    assert np.float32(summary(np.float32(value), 3)) == np.float32(value)


@given(st.floats(allow_nan=False))
def test_the_text_of_a_double_gives_the_double_back(value: float) -> None:
    assert float(summary(np.float64(value), 3)) == value


def test_complex_numbers_are_pairs() -> None:
    assert summary(np.array([1 + 2j, 0.5 - 1j]), 3) == "[(1,2) (0.5,-1)]"


def test_no_truth_values_are_no_text() -> None:
    assert summary(np.zeros([0], bool), 3) == summary(np.zeros([2, 0, 3], bool), -1) == ""


def test_no_complex_numbers_are_one_pair_of_brackets() -> None:
    assert summary(np.zeros([3, 0], np.complex64), 3) == "[]"


def test_any_placeholder_will_do() -> None:
    assert format("<> is <>", (tf.constant("x"), tf.constant(1)), "<>").numpy() == b'"x" is 1'


@pytest.mark.parametrize(
    ("template", "inputs"), [("{} {}", [1]), ("x", [1]), ("{}", "abc"), ("{}", [1, 2])]
)
def test_placeholders_and_inputs_must_match(template: str, inputs: object) -> None:
    with pytest.raises(ValueError, match="placeholders"):
        format(template, inputs)


@given(st.lists(st.binary(max_size=4) | st.text(max_size=4).map(str.encode), max_size=30))
def test_many_strings_are_quoted_as_each_is(values: list[bytes]) -> None:
    whole = summary(np.array([*values, None], object)[:-1], -1)
    assert whole == "[" + " ".join(quoted(value) for value in values) + "]"
