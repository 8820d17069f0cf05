"""Training from the same seeds gives tf_keras's losses and weights, to 1e-4."""

from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.golden.cases import answer, cases, recorded

CASES, WANT = cases("keras_training"), recorded("keras_training")


@pytest.mark.parametrize("name", CASES)
def test_training_ends_where_tf_keras_ends(name: str) -> None:
    got = answer(CASES[name], tf)
    assert "error" not in got, f"{got.get('error')}: {got.get('message')}"
    assert_close(got["result"], WANT[name]["result"], name)


def assert_close(got: Any, want: Any, where: str) -> None:
    assert type(got) is type(want), where
    if isinstance(want, dict) and "dtype" in want:
        np.testing.assert_allclose(got["value"], want["value"], rtol=1e-4, atol=1e-4, err_msg=where)
    elif isinstance(want, dict):
        assert list(got) == list(want), where
        for key in want:
            assert_close(got[key], want[key], f"{where}[{key!r}]")
    elif isinstance(want, list):
        assert len(got) == len(want), where
        for place, (a, b) in enumerate(zip(got, want, strict=True)):
            assert_close(a, b, f"{where}[{place}]")
    else:
        assert got == want, where
