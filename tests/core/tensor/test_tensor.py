"""Operators, printing and protocols of tensors; most answers are recorded from TensorFlow."""

import copy
import pickle
import re

import numpy as np
import pytest

import runnel as tf
from tests.golden.expressions import answer, recorded
from tests.golden.make_tensor import names
from tests.tables import table

pytestmark = pytest.mark.smoke

NAMES = names(tf)


@table("expression, want", recorded("tensor_operators"))
def test_operator_is_as_in_tensorflow(expression, want):
    got = answer(expression, NAMES)
    if "**" in expression:  # a power may be off by its last bit, on some processors
        got, want = rounded(got), rounded(want)
    assert got == want


def rounded(text):
    return re.sub(r"\d+\.\d+(e[+-]?\d+)?", lambda number: f"{float(number[0]):.6g}", text)


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.3.0", reason="older NumPy writes numbers otherwise"
)
@table("expression, want", recorded("tensor_printing"))
def test_tensor_is_shown_as_in_tensorflow(expression, want):
    assert answer(expression, NAMES) == want


class Unit:
    """Something that knows how to be added to a tensor."""

    def __radd__(self, other):
        return ("unit", other)

    def __rtruediv__(self, other):
        return ("per unit", other)


def test_an_operand_that_is_no_tensor_is_asked_for_its_own_operator():
    x = tf.constant([1, 2])
    assert (x + Unit())[0] == "unit"
    assert (x / Unit())[0] == "per unit"


def test_an_object_that_cannot_be_compared_is_not_equal():
    x = tf.constant([1, 2])
    assert x != object()
    assert not (x == object())  # noqa: SIM201
    assert object() not in [x.ref()]


def test_numpy_on_the_left_gives_a_tensor():
    result = np.array([1.0, 2.0], np.float32) * tf.constant([3.0, 4.0])
    assert isinstance(result, tf.Tensor)
    assert result.numpy().tolist() == [3.0, 8.0]


def test_numpy_functions_take_tensors():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert np.sum(x) == 10.0
    assert np.concatenate([x, x]).shape == (4, 2)
    assert np.asarray(x).dtype == np.float32


def test_the_value_of_a_tensor_cannot_be_changed_through_numpy():
    x = tf.constant([1.0, 2.0])
    copied = x.numpy()
    copied[0] = 9.0
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(x)[0] = 9.0
    assert x.numpy().tolist() == [1.0, 2.0]


def test_a_tensor_does_not_follow_the_array_it_was_made_of():
    array = np.array([1.0, 2.0])
    x = tf.constant(array)
    array[0] = 9.0
    assert x.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "bool", "string", "complex64"])
def test_pickling_and_copying_keep_dtype_and_value(dtype):
    x = tf.constant(["a", "b"]) if dtype == "string" else tf.cast(tf.constant([1, 0]), dtype)
    for copied in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
        assert copied.dtype is x.dtype
        assert copied.numpy().tolist() == x.numpy().tolist()


def test_dlpack_hands_out_the_value():
    x = tf.constant([1.0, 2.0, 3.0])
    taken = np.from_dlpack(x)
    assert taken.tolist() == [1.0, 2.0, 3.0]


def test_a_tensor_is_no_key_but_its_reference_is():
    x = tf.constant(1.0)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    assert {x.ref(): "found"}[x.ref()] == "found"
    assert x.ref().deref() is x
