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
