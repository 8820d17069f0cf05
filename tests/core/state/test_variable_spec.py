"""The types of variables, as TensorFlow gives them."""

import pytest

import runnel as tf
from tests.golden.cases import assert_answer, cases, recorded

CASES, WANT = cases("variable_spec"), recorded("variable_spec")


@pytest.mark.parametrize("name", CASES)
def test_types_of_variables_are_those_of_tensorflow(name: str) -> None:
    assert_answer(CASES[name], tf, WANT[name], warnings=False)


def test_a_call_needs_a_variable_where_its_type_was_traced() -> None:
    fn = tf.function(lambda a: a.read_value())
    spec = tf.type_spec_from_value(tf.Variable([1.0, 2.0]))
    fn.get_concrete_function(spec)
    with pytest.raises(TypeError, match=r"A call needs a variable for VariableSpec"):
        fn(spec)
