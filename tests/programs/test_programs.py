"""Whole programs print what they print with TensorFlow, and come to the same answers."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.golden.programs import PROGRAMS, recorded, run

_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_gives_what_tensorflow_gives(name: str) -> None:
    got, want = run(name, "runnel"), recorded(name)
    assert_close(got["answer"], want["answer"], "answer")
    for a, b in zip(got["printed"], want["printed"]):
        assert_line(a.replace("runnel", "tensorflow"), b)
    assert len(got["printed"]) == len(want["printed"])


def assert_line(got: str, want: str) -> None:
    """The same words, and numbers that differ by no more than what was rounded away."""
    assert _NUMBER.sub("#", got) == _NUMBER.sub("#", want), f"{got!r}, TensorFlow {want!r}"
    numbers = [[float(n) for n in _NUMBER.findall(line)] for line in (got, want)]
    np.testing.assert_allclose(*numbers, rtol=1e-3, atol=2e-4, err_msg=want)


def assert_close(got: Any, want: Any, where: str) -> None:
    """The same structure, dtypes and words; numbers to 1e-4, as trained models agree."""
    assert type(got) is type(want), f"{where}: {got!r}, TensorFlow {want!r}"
    if isinstance(want, dict):
        assert list(got) == list(want), where
        if want.keys() == {"dtype", "value"}:
            assert got["dtype"] == want["dtype"], where
            if want["dtype"] != "object":
                return assert_numbers(got["value"], want["value"], where)
        for key in want:
            assert_close(got[key], want[key], f"{where}[{key!r}]")
    elif isinstance(want, list):
        assert len(got) == len(want), where
        for place, (a, b) in enumerate(zip(got, want)):
            assert_close(a, b, f"{where}[{place}]")
    elif isinstance(want, float):
        assert_numbers(got, want, where)
    else:
        assert got == want, f"{where}: {got!r}, TensorFlow {want!r}"


def assert_numbers(got: Any, want: Any, where: str) -> None:
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4, err_msg=where)
