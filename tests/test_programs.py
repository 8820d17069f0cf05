"""Small programs of all kinds against TensorFlow's answers."""

from __future__ import annotations

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

GOLDEN = recorded("programs")
ALGORITHMS = recorded("algorithms")


@pytest.mark.parametrize("name", cases("programs"))
def test_program_gives_tensorflows_answer(name: str) -> None:
    assert_answer(cases("programs")[name], tf, GOLDEN[name], warnings=False)


@pytest.mark.parametrize("eagerly", [False, True], ids=["graph", "eager"])
@pytest.mark.parametrize("name", cases("algorithms"))
def test_algorithm_gives_tensorflows_answer_in_functions_and_eagerly(
    name: str, eagerly: bool
) -> None:
    tf.config.run_functions_eagerly(eagerly)
    try:
        assert_answer(cases("algorithms")[name], tf, ALGORITHMS[name], warnings=False)
    finally:
        tf.config.run_functions_eagerly(False)
