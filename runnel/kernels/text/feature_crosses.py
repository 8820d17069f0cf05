"""Combinations of the values that several features have in a row, joined to texts or to hashes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from runnel.core.values.types import Array
from runnel.kernels.text.arrays import packed
from runnel.kernels.text.fingerprint import joined_fingerprint
from runnel.kernels.text.flat_text import flat_text
from runnel.kernels.text.many_hashes import fingerprints64

HASH_KEY = 0xDECAFCAFFE
_LARGEST = 2**63 - 1


class Feature(NamedTuple):
    """An input: its values row by row, and how many each row has."""

    values: Array
    counts: Array


def sparse_feature(indices: Array, values: Array, shape: Array) -> Feature:
    by_row = np.argsort(indices[:, 0], kind="stable")
    return Feature(values[by_row], np.bincount(indices[:, 0], minlength=int(shape[0])))


def dense_feature(values: Array) -> Feature:
    return Feature(values.ravel(), np.full(len(values), values.shape[1]))


class Combinations(NamedTuple):
    """What was joined, row by row, and how many there are in each row."""

    values: Array
    counts: Array


def combined(features: Sequence[Feature], join: Callable[[list[Array]], Array]) -> Combinations:
    """All combinations of a row's values, joined; the last feature changes fastest."""
    counts = [feature.counts for feature in features] or [np.zeros(0, np.int64)]
    totals = np.prod(counts, axis=0, dtype=np.int64)
    row = np.repeat(np.arange(len(totals)), totals)
    rest = np.arange(len(row)) - np.repeat(np.cumsum(totals) - totals, totals)
    chosen = []
    for values, sizes in reversed(features):
        starts = np.cumsum(sizes) - sizes
        rest, place = np.divmod(rest, sizes[row])
        chosen.append(values[starts[row] + place])
    return Combinations(join(chosen[::-1]), totals)


def crossed_texts(features: Sequence[Feature], separator: bytes) -> Combinations:
    """The combinations as texts; numbers are written out."""

    def join(columns: list[Array]) -> Array:
        rows = zip(*[column.tolist() for column in columns], strict=True)
        return packed(list(map(separator.join, rows)))

    return combined([_texts(feature) for feature in features], join)


def _texts(feature: Feature) -> Feature:
    if feature.values.dtype == object:
        return feature
    return feature._replace(values=packed([b"%d" % value for value in feature.values.tolist()]))


def crossed_hashes(features: Sequence[Feature], buckets: int, *first: int) -> Combinations:
    """The combinations as numbers of buckets, by the fingerprints of `first` and of the values."""
    keys = [np.array(key).astype(np.uint64) for key in first]

    def join(columns: list[Array]) -> Array:
        if not columns:
            return np.zeros(0, np.int64)
        number = functools.reduce(joined_fingerprint, [*keys, *columns])
        return (number % np.uint64(buckets or _LARGEST)).astype(np.int64)

    return combined([numbers(feature) for feature in features], join)


def numbers(feature: Feature) -> Feature:
    """The fingerprints of strings; whole numbers as they are."""
    if feature.values.dtype != object:
        return feature._replace(values=feature.values.astype(np.uint64))
    return feature._replace(values=fingerprints64(flat_text(feature.values)))
