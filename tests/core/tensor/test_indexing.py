"""`x[...]`: TensorFlow's slices, NumPy's integer arrays and masks, updates with `x.at`."""

from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.golden.expressions import answer, recorded
from tests.golden.make_tensor import names
from tests.tables import table

pytestmark = pytest.mark.smoke

NAMES = names(tf)
A = np.arange(60, dtype=np.float32).reshape(3, 4, 5)


@table("expression, want", recorded("tensor_indexing"))
def test_index_is_as_in_tensorflow(expression, want):
    assert answer(expression, NAMES) == want


INDICES = [
    [0, 2],
    np.array([0, 2, -1]),
    np.array([[0, 1], [2, 0]]),
    A[:, :, 0] > 20,
    A > 30,
    np.array([True, False, True]),
    (slice(None), [0, 2]),
    (slice(None), np.array([0, -1]), slice(1, 3)),
    ([0, 1], [2, 3]),
    ([0, 1], slice(None), [2, 3]),
    (np.array([[0], [1]]), np.array([2, 3])),
    (0, [1, 2]),
    (slice(None), 0, [1, 2]),
    ([1, 2], 0),
    (..., [0, 4]),
    (None, [0, 1]),
    ([0, 1], None),
    (slice(None, None, -1), [0, 1]),
    (np.array([True, False, True]), 1),
    (slice(None), np.array([True, False, True, False])),
    (np.array([True, False, True]), [0, 3]),
    (slice(None), (True, False, True, False)),
    ((0, 2), (1, 3)),
    np.zeros(0, np.int64),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_integer_arrays_and_masks_index_as_in_numpy(index):
    assert np.array_equal(tf.constant(A)[index].numpy(), A[index])


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_updates_at_an_index_are_numpys(index):
    want = A.copy()
    want[index] = 7.0
    assert np.array_equal(tf.constant(A).at[index].set(7.0).numpy(), want)
    want = A.copy()
    np.add.at(want, index, 2.0)
    assert np.array_equal(tf.constant(A).at[index].add(2.0).numpy(), want)


BASIC = [
    0,
    -1,
    slice(1, None),
    slice(None, None, -2),
    (slice(None), 1),
    (..., 2),
    (0, slice(1, 3), -1),
    (None, 0),
]


@pytest.mark.parametrize("index", BASIC, ids=str)
def test_updates_at_a_slice_are_numpys(index):
    x = tf.constant(A)
    for method, change in (
        ("set", lambda a: 3.0),
        ("min", lambda a: np.minimum(a, 3.0)),
        ("multiply", lambda a: a * 3.0),
    ):
        want = A.copy()
        want[index] = change(want[index])
        assert np.array_equal(getattr(x.at[index], method)(3.0).numpy(), want)
    assert np.array_equal(x.numpy(), A)


@pytest.mark.parametrize("index", [[3], [-4], ([0], [4])], ids=str)
def test_an_index_out_of_range_is_an_error(index):
    with pytest.raises((tf.errors.InvalidArgumentError, IndexError)):
        tf.constant(A)[index]


def test_tensors_index_like_arrays():
    x = tf.constant(A)
    assert np.array_equal(x[tf.constant([2, 0])].numpy(), A[[2, 0]])
    assert np.array_equal(x[x > 30].numpy(), A[A > 30])
    assert np.array_equal(x[:, tf.constant([1, 1], tf.int64)].numpy(), A[:, [1, 1]])


@pytest.mark.parametrize(
    "index", [0, slice(None, None, -1), [0, 0, 2], A > 30, (slice(None), [1, 1])], ids=str
)
def test_the_gradient_of_an_index_goes_where_it_took_from(index):
    x = tf.constant(A)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x[index] * 2.0)
    want = np.zeros_like(A)
    np.add.at(want, index, 2.0)
    assert np.array_equal(tf.convert_to_tensor(tape.gradient(y, x)).numpy(), want)


def test_indices_work_in_functions_with_unknown_shapes():
    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([], tf.int32)])
    def parts(x, i):
        return x[i], x[:, i], x[i:], x[..., ::-1], x[tf.newaxis, 0]

    x = A[0]
    found = parts(tf.constant(x), tf.constant(1))
    for got, want in zip(found, (x[1], x[:, 1], x[1:], x[..., ::-1], x[None, 0]), strict=True):
        assert np.array_equal(got.numpy(), want)


def test_a_number_beside_an_array_counts_as_an_array():
    a = np.arange(24).reshape(2, 3, 4)
    for index in ((0, slice(None), [1, 1]), (0, Ellipsis, [1, 1]), ([1, 0], slice(None), 2)):
        assert np.array_equal(tf.constant(a)[index], a[index])


def test_updates_multiply_an_element_as_often_as_it_is_named():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x.at[[0, 0, 2]].multiply([2.0, 5.0, 7.0])
    assert y.numpy().tolist() == [10.0, 2.0, 21.0]
    assert tape.gradient(y, x).numpy().tolist() == [10.0, 1.0, 7.0]


def test_updates_keep_the_dtype():
    with pytest.raises(TypeError, match=r"Cannot convert 1\.5 to EagerTensor of dtype int32"):
        tf.constant([1, 2]).at[0].set(1.5)


def test_a_mask_must_have_the_size_of_its_dimensions():
    x = tf.zeros([2, 3])
    one, three = np.array([True]), np.array([True, False, True])
    for index in (one, (three,), (0, one), (Ellipsis, three[None])):
        with pytest.raises(ValueError, match="A mask must have the shape"):
            x[index]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint32", "float32"])
def test_a_scalar_index_is_an_integer_of_16_bits_at_least(dtype: str) -> None:
    index = tf.constant(1, dtype)
    for bad in (index, slice(index, None), np.array(1, dtype)):
        with pytest.raises(TypeError, match="valid indices"):
            tf.range(5)[bad]


def test_numpy_numbers_of_any_integer_kind_are_indices() -> None:
    for kind in (np.int8, np.uint8, np.uint32, np.int64):
        assert int(tf.range(5)[kind(3)]) == 3
    with pytest.raises(TypeError, match="valid indices"):
        tf.range(5)[np.bool_(True)]


@pytest.mark.parametrize("index", [1.5, [1.5], ["a"], [tf.ones([2])], (0, [1.5]), [[0], [1, 2]]])
def test_other_things_than_integers_are_no_indices(index: Any) -> None:
    x = tf.zeros([2, 3])
    with pytest.raises(TypeError):
        x[index]
    with pytest.raises(TypeError):
        tf.function(lambda: x[index])()


def test_arrays_that_are_no_indices_raise_what_numpy_raises_as_well() -> None:
    for index in (tf.ones([2]), np.ones(2)):
        with pytest.raises(IndexError, match="must be of integers or bools"):
            tf.zeros([2, 3])[index]


def test_an_integer_of_unknown_rank_is_a_scalar_index():
    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec(None, tf.int32)])
    def picked(x, index):
        y = x * x
        chosen = y[0, index]
        return chosen, tf.gradients(chosen, x)[0]

    found, gradient = picked(tf.constant([[1.0, 2.0, 3.0]]), tf.constant(1))
    assert found.numpy() == 4.0
    assert gradient.numpy().tolist() == [[0.0, 4.0, 0.0]]
