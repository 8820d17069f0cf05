"""Each value once."""

import numpy as np
import pytest

import runnel as tf


@pytest.mark.parametrize("kinds", [3, 500, 100_000])
def test_many_strings_are_numbered_in_the_order_they_are_met(kinds: int) -> None:
    numbers = np.random.default_rng(0).integers(0, kinds, 10_000).tolist()
    values = [b"%d" % number * (1 + number % 9) for number in numbers]
    y, places, counts = tf.unique_with_counts(values)
    distinct = list(dict.fromkeys(values))
    assert y.numpy().tolist() == distinct
    assert [distinct[place] for place in places.numpy()] == values
    assert counts.numpy().sum() == len(values)
    assert counts.numpy()[0] == values.count(distinct[0])


def test_strings_with_zero_bytes_are_told_apart() -> None:
    y, _ = tf.unique([b"a", b"a\0", b"a", b"\0"] * 2000)
    assert y.numpy().tolist() == [b"a", b"a\0", b"\0"]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("end", ["min", "max"])
def test_many_integers_that_lie_close_together_are_found_in_a_table(dtype, end):
    near = np.random.default_rng(0).integers(0, 100, 5000)
    limits = np.iinfo(dtype)
    x = np.array(
        [limits.max - int(n) if end == "max" else limits.min + int(n) for n in near], dtype
    )
    values, index, count = tf.unique_with_counts(x)
    seen = list(dict.fromkeys(x.tolist()))
    assert values.numpy().tolist() == seen and values.dtype.name == dtype
    assert np.array_equal(np.array(seen, dtype)[index.numpy()], x)
    assert count.numpy().tolist() == [x.tolist().count(value) for value in seen]


def test_narrow_integers_far_apart_do_not_wrap_around():
    x = np.random.default_rng(0).integers(-100, 101, 5000).astype(np.int8)
    values, index = tf.unique(x)
    assert np.array_equal(values.numpy()[index.numpy()], x) and len(values) == len(np.unique(x))


@pytest.mark.parametrize("count", [0, 1, 5, 300, 1000])
@pytest.mark.parametrize("dtype", ["int32", "float32", "bfloat16", "bool"])
def test_numbers_are_met_in_their_order(count, dtype):
    numbers = np.random.default_rng(0).integers(-count, count + 1, count)
    x = tf.cast(numbers, dtype)
    values, index, counts = tf.unique_with_counts(x)
    expected = tf.cast(x, "float64").numpy().tolist()
    seen = list(dict.fromkeys(expected))
    assert tf.cast(values, "float64").numpy().tolist() == seen and values.dtype == x.dtype
    assert index.numpy().tolist() == [seen.index(number) for number in expected]
    assert counts.numpy().tolist() == [expected.count(number) for number in seen]


def test_every_nan_is_one_of_its_own_and_both_zeros_are_one():
    nan = float("nan")
    values, index, counts = tf.unique_with_counts([2.0, nan, -0.0, 0.0, 2.0, nan])
    np.testing.assert_array_equal(values.numpy(), [2.0, nan, 0.0, nan])
    assert index.numpy().tolist() == [0, 1, 2, 2, 0, 3]
    assert counts.numpy().tolist() == [2, 1, 2, 1]
