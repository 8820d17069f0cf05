"""`tf.constant` and `tf.convert_to_tensor`; most answers are recorded from TensorFlow."""

import sys

import numpy as np
import pytest

import runnel as tf
from runnel.core.tensor import convert
from tests.golden.expressions import answer, recorded
from tests.golden.make_tensor import names
from tests.tables import table

pytestmark = pytest.mark.smoke

NAMES = names(tf)


@table("expression, want", recorded("tensor_conversion"))
def test_conversion_is_as_in_tensorflow(expression, want):
    assert answer(expression, NAMES) == want


class Length:
    def __init__(self, metres):
        self.metres = metres


def test_a_registered_conversion_is_used():
    def convert(value, dtype=None, name=None, as_ref=False):
        return tf.constant(value.metres, dtype=dtype)

    tf.register_tensor_conversion_function(Length, convert)
    assert tf.convert_to_tensor(Length(3.0)).numpy() == 3.0
    assert (tf.constant(1.0) + Length(3.0)).numpy() == 4.0


class Celsius:
    def __tf_tensor__(self, dtype=None, name=None):
        return tf.constant(20.0, dtype=dtype)


def test_the_protocol_method_is_used():
    assert tf.convert_to_tensor(Celsius()).numpy() == 20.0
    assert (tf.constant(1.0) + Celsius()).numpy() == 21.0


def test_a_list_with_tensors_keeps_their_gradient():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.convert_to_tensor([[x, 1.0], [2.0, x * x]])
    assert y.numpy().tolist() == [[2.0, 1.0], [2.0, 4.0]]
    assert tape.gradient(y, x).numpy() == 5.0


def test_a_long_list_is_converted_without_a_python_call_per_element():
    values = [float(i) for i in range(100_000)]
    calls = []
    sys.setprofile(lambda frame, event, arg: calls.append(event))
    try:
        found = tf.constant(values)
    finally:
        sys.setprofile(None)
    assert found.shape == [100_000]
    assert len(calls) < 1000


def test_numbers_that_need_64_bits_get_them_only_when_nobody_says_otherwise():
    assert tf.constant([1, 2**40]).dtype is tf.int64
    assert tf.constant([1, 2**40], tf.int32).numpy().tolist() == [1, 0]
    with pytest.raises(ValueError, match="out-of-range"):
        tf.constant(2**63)


def test_a_constant_in_a_function_keeps_dtype_and_shape():
    @tf.function
    def made():
        return tf.constant(7, tf.float16, shape=[2, 2]), tf.constant(["a", "b"])

    number, text = made()
    assert number.numpy().tolist() == [[7.0, 7.0], [7.0, 7.0]]
    assert number.dtype is tf.float16
    assert text.numpy().tolist() == [b"a", b"b"]


def test_arrays_in_another_order_keep_their_meaning():
    array = np.arange(6).reshape(2, 3).T
    assert tf.constant(array).numpy().tolist() == array.tolist()
    assert tf.constant(array[::-1]).numpy().tolist() == array[::-1].tolist()


def test_sizes_of_two_widths_make_a_shape() -> None:
    rows = tf.constant(2, tf.int64)
    assert tf.fill([rows, 1], "#").shape == (2, 1)
    assert tf.convert_to_tensor([rows, 1]).dtype == tf.int64
    assert tf.convert_to_tensor([rows, 1], dtype=tf.float32).numpy().tolist() == [2.0, 1.0]
    found = tf.function(lambda n: tf.zeros([n, 3]))(rows)
    assert found.shape == (2, 3)


def test_numbers_beside_tensors_are_told_apart() -> None:
    one, whole = tf.constant(1.0), tf.constant(1)
    assert (whole + 1).numpy() == 2
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        whole + 1.0
    assert (one / 0.0).numpy() == np.inf
    assert (one / -0.0).numpy() == -np.inf
    assert (one + 1).dtype == tf.float32
    assert (one * float("nan") != one).numpy()
    assert (2.0**64 * tf.constant(1.0, tf.float64)).numpy() == 2.0**64


def test_many_different_numbers_leave_no_memory() -> None:
    x = tf.constant(0.0)
    for n in range(5000):
        x = x + float(n)
    assert x.numpy() == sum(range(5000))
    assert len(convert._numbers) <= 1024
