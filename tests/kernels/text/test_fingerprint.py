"""Fingerprints, compared with what `tf.strings.to_hash_bucket_fast` gives for 2**31 buckets."""

from __future__ import annotations

import pytest

from runnel.kernels.text.fingerprint import (
    fingerprint64,
    joined_fingerprint,
    keyed_hash64,
    murmur64,
)
from runnel.kernels.text.flat_text import FlatText
from runnel.kernels.text.many_hashes import fingerprints64, keyed_hashes64, murmurs64

KNOWN = {
    b"": 797982799,
    b"a": 920614371,
    b"hello": 825756904,
    b"0123456789abcdef": 1552105575,
    b"x" * 30: 1116626925,
    b"y" * 63: 102608473,
    b"z" * 64: 1946264088,
    b"abc" * 40: 200757723,
    b"q" * 200: 35867761,
}


@pytest.mark.parametrize("data", list(KNOWN), ids=len)
def test_fingerprints_are_farmhashs(data: bytes) -> None:
    assert fingerprint64(data) % 2**31 == KNOWN[data]


def test_a_pair_is_ordered() -> None:
    one, two = fingerprint64(b"a"), fingerprint64(b"b")
    assert joined_fingerprint(one, two) != joined_fingerprint(two, one)


def test_a_key_changes_the_hash() -> None:
    assert keyed_hash64(b"a", (1, 2)) != keyed_hash64(b"a", (2, 1))


@pytest.mark.parametrize(
    ("many", "one"),
    [
        (fingerprints64, fingerprint64),
        (murmurs64, murmur64),
        (lambda v: keyed_hashes64(v, (3, -4)), lambda v: keyed_hash64(v, (3, -4))),
    ],
    ids=["farmhash", "murmur", "siphash"],
)
def test_hashes_of_many_at_once_are_those_of_each(many, one) -> None:
    values = [bytes(range(7, 7 + size)) for size in range(140)] * 9
    values += [bytes(2000), b"x" * 1000]  # so few of their length that they are done by themselves
    assert many(FlatText.of(values)).tolist() == [one(value) for value in values]
    assert many(FlatText.of([])).tolist() == []
    alike = [b"%05d" % number for number in range(20)]  # one formula for all
    assert many(FlatText.of(alike)).tolist() == [one(value) for value in alike]
