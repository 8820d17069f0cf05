"""Numbers read from strings all at once, compared with what Python reads from each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf
from runnel.ops.strings.numbers import plain_numbers

INTS = st.lists(st.integers(-(10**18), 10**18).map(lambda n: b"%d" % n), min_size=1, max_size=40)
SHORT_INTS = st.integers(-(10**16) + 1, 10**16 - 1).map(lambda n: b"%d" % n)
DECIMALS = st.from_regex(rb"-?([0-9]{1,9}(\.[0-9]{0,6})?|\.[0-9]{1,7}|[0-9]{16})", fullmatch=True)
ODD = st.sampled_from(
    [b"", b"-", b".", b"-.", b"1.2.3", b"1-2", b"+7", b" 7", b"7 8", b"1e5", b"nan", b"_1"]
)


@settings(max_examples=150, deadline=None)
@given(values=INTS)
def test_whole_numbers_are_those_of_python(values: list[bytes]) -> None:
    found = tf.strings.to_number(values, tf.int64).numpy()
    assert found.tolist() == [int(value) for value in values]


@settings(max_examples=150, deadline=None)
@given(values=st.lists(SHORT_INTS, min_size=1, max_size=6))
def test_whole_numbers_of_up_to_16_digits_are_read_at_once(values: list[bytes]) -> None:
    found = plain_numbers(values, np.dtype(np.int64))
    assert found is not None
    assert found.tolist() == [int(value) for value in values]


@settings(max_examples=200, deadline=None)
@given(values=st.lists(DECIMALS, min_size=1, max_size=6))
def test_decimals_are_rounded_as_python_does(values: list[bytes]) -> None:
    found = plain_numbers(values, np.dtype(np.float64))
    assert found is not None
    want = np.array([float(value) for value in values])
    assert found.tobytes() == want.tobytes()  # the sign of zero, too


@settings(max_examples=100, deadline=None)
@given(before=st.lists(DECIMALS, max_size=3), odd=ODD, after=st.lists(DECIMALS, max_size=3))
def test_anything_else_is_left_to_the_slow_way(
    before: list[bytes], odd: bytes, after: list[bytes]
) -> None:
    assert plain_numbers([*before, odd, *after], np.dtype(np.float64)) is None


def test_numbers_out_of_range_are_errors() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="3000000000"):
        tf.strings.to_number(["1", "3000000000"], tf.int32)
    assert tf.strings.to_number(["007", "18446744073709551615"], tf.uint64).numpy()[1] == 2**64 - 1


@pytest.mark.parametrize("value", [[1.5, float("nan")], [0.25, -3.0], [1e300, -0.0]])
def test_numbers_are_written_as_printf_would(value: list[float]) -> None:
    found = tf.strings.as_string(tf.constant(value, tf.float64), precision=3)
    assert found.numpy().tolist() == [b"%.3f" % number for number in value]


@pytest.mark.parametrize("kind", ["int8", "uint8", "int32", "int64", "uint64"])
def test_many_whole_numbers_are_written_as_each_is(kind: str) -> None:
    limits = np.iinfo(kind)
    ends = [limits.min, limits.max, 0, 1, 9, 10, 99, 100]
    numbers = np.array([*ends, *range(100)] * 3, kind)
    found = tf.strings.as_string(numbers.reshape(4, -1))
    assert found.shape == (4, len(numbers) // 4)
    assert found.numpy().ravel().tolist() == [b"%d" % number for number in numbers.tolist()]


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("precision", [-1, 0, 1, 2, 6, 9, 12])
def test_many_decimals_are_written_as_each_is(kind: str, precision: int) -> None:
    random = np.random.default_rng(0)
    sizes = 10.0 ** random.integers(-12, 14, 500)
    middles = random.integers(-40, 40, 500) / 8  # between two numbers of few decimals
    special = [0.0, -0.0, -0.001, 0.9999995, np.inf, -np.inf, np.nan]
    numbers = np.concatenate([random.normal(size=500) * sizes, special, middles[:50]]).astype(kind)
    for x in (numbers, middles.astype(kind), random.uniform(-9, 9, 500).astype(kind)):
        style = "%f" if precision < 0 else f"%.{precision}f"
        expected = [(style % number).encode() for number in x.tolist()]
        assert tf.strings.as_string(x, precision=precision).numpy().tolist() == expected


@pytest.mark.parametrize(
    ("fill", "width", "text"),
    [("+", -1, b"7"), (" ", -1, b"7"), ("+", 3, b"  7"), ("0", 3, b"007"), ("-", 3, b"7  ")],
)
def test_numbers_without_a_sign_leave_no_place_for_it(fill: str, width: int, text: bytes) -> None:
    found = tf.strings.as_string(np.uint8(7), fill=fill, width=width)
    assert found.numpy() == text


def test_a_single_truth_value_is_a_string_that_other_ops_take() -> None:
    @tf.function
    def run(x: tf.Tensor) -> list[tf.Tensor]:
        text = tf.strings.as_string(x > 0.0)
        return [text, tf.strings.length(text), tf.strings.join([text, "!"])]

    for _ in range(4):
        assert [t.numpy() for t in run(tf.constant(1.0))] == [b"true", 4, b"true!"]
