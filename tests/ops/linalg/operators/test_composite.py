"""Operators as values made of tensors: in nests, functions, loops and files."""

from __future__ import annotations

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

GOLDEN = recorded("linear_operators")


@pytest.mark.parametrize("name", GOLDEN)
def test_case_agrees_with_tensorflow(name: str) -> None:
    assert_answer(cases("linear_operators")[name], tf, GOLDEN[name], warnings=False)


def test_cases_and_answers_are_the_same() -> None:
    assert list(GOLDEN) == list(cases("linear_operators"))


def test_users_operators_are_passed_by_reference() -> None:
    class Twice(tf.linalg.LinearOperator):
        def __init__(self) -> None:
            super().__init__(tf.float32, is_square=True)

        def _shape(self) -> tf.TensorShape:
            return tf.TensorShape([2, 2])

        def _matmul(self, x: tf.Tensor, adjoint: bool = False, adjoint_arg: bool = False):
            return x * 2.0

    operator = Twice()
    assert not hasattr(operator, "_type_spec")
    found = tf.function(lambda o, x: o.matvec(x))(operator, tf.constant([1.0, 2.0]))
    assert found.numpy().tolist() == [2.0, 4.0]
